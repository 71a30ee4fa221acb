import { fc } from '../harness/property.ts'
import { expect, it } from 'vitest'
import { utf8Length } from '../../shared/utf8.ts'

it('6.1 bytes: counted as an encoder writes them, lone surrogates included', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: fc.constantFrom('\ud800', '\udc00', 'x', 'é', '🚀') }),
      (one, other) => {
        expect(utf8Length(one + other)).toBe(new TextEncoder().encode(one + other).length)
      },
    ),
  )
})
