/* A step of a build: the host with most of its packages in a few files, `dist/run`. Node finds, reads and links several
   hundred modules otherwise, which is most of what a start and every command costs. Left out are packages with binaries and
   files of their own. `dist/host` stays what the compiler wrote, for types, tests of parts and `npm run dev`. */
import { build } from 'vite'
import { root } from './prepare.js'

await build({
  configFile: false,
  root,
  publicDir: false,
  logLevel: 'warn',
  ssr: {
    target: 'node',
    noExternal: true,
    external: [
      'classic-level',
      'uWebSockets.js',
      '@lydell/node-pty',
      'quickjs-emscripten-core',
      '@jitl/quickjs-wasmfile-release-sync',
    ],
  },
  build: {
    ssr: true,
    outDir: 'dist/run',
    emptyOutDir: true,
    target: 'node20',
    minify: false,
    rolldownOptions: {
      // Named as in `host/`: the host finds its two helpers beside itself.
      input: {
        main: 'host/main.ts',
        'tasks/reaper': 'host/tasks/reaper.ts',
        'code/sandbox-worker': 'host/code/sandbox-worker.ts',
      },
      output: { entryFileNames: '[name].js', chunkFileNames: 'chunks/[name]-[hash].js' },
    },
  },
})
