/* A copy of the built host with a fault planted in one machine. The copy is whole, so that nothing but the fault
   differs; a fault that no longer finds its place in the build is a mistake of the test and throws. */
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { HostFolder, type HostProcess } from '../harness/host-process.ts'

export interface Fault {
  /** A file in `machines/`, without extension. */
  machine: string
  /** Source text as it stands in the machine, white space aside. */
  from: string
  to: string
}

export interface PlantedHost {
  host: HostProcess
  remove(): Promise<void>
}

const root = fileURLToPath(new URL('../../', import.meta.url))

export async function startPlantedHost(
  fault: Fault,
  environment: Readonly<Record<string, string>>,
): Promise<PlantedHost> {
  const copy = mkdtempSync(join(tmpdir(), 'task-surface-fault-'))
  const removeCopy = () => rmSync(copy, { recursive: true, force: true })
  try {
    for (const part of ['host', 'machines', 'shared', 'web']) {
      cpSync(join(root, 'dist', part), join(copy, 'dist', part), { recursive: true })
    }
    cpSync(join(root, 'package.json'), join(copy, 'package.json'))
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'), 'dir')
    plant(join(copy, 'dist', 'machines', `${fault.machine}.js`), fault)
    const folder = new HostFolder(environment, join(copy, 'dist', 'host', 'main.js'))
    const host = await folder.start()
    return {
      host,
      async remove() {
        await folder.remove()
        removeCopy()
      },
    }
  } catch (cause) {
    removeCopy()
    throw cause
  }
}

function plant(file: string, { from, to }: Fault): void {
  const source = readFileSync(file, 'utf8')
  const pattern = from.trim().split(/\s+/u).map(escaped).join('\\s*')
  const places = [...source.matchAll(new RegExp(pattern, 'gu'))]
  const [place] = places
  if (place === undefined || places.length > 1) throw new Error(`${places.length} places in ${file} for ${from}`)
  writeFileSync(file, source.slice(0, place.index) + to + source.slice(place.index + place[0].length))
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/gu, '\\$&')
}
