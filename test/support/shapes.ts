/** JSON of ten shapes, each as large as the limits allow: in bytes, values, names or depth. */
import { jsonLimits } from '#kit'
import type { JsonLimits } from '#kit'

const many = <T>(length: number, of: (index: number) => T): T[] => Array.from({ length }, (_, index) => of(index))
const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`

/** JSON texts of about `bytes` bytes, or fewer when another limit is reached first. One of them contains `secret`. */
export const shapesOf = (bytes: number, secret: string, limits: JsonLimits = jsonLimits): Record<string, string> => {
  const names = limits.names - 100
  const values = limits.values - 100
  const room = (each: number, most: number) => Math.min(most, Math.floor(bytes / each))
  const row = { id: 'abc123', name: 'A name', open: true, at: 1234567, tags: ['red'], note: null }
  return {
    'a wide object': JSON.stringify(Object.fromEntries(many(room(16, names), (index) => [`key${index}`, index]))),
    'deep nesting': `[${many(room(382, Math.floor(values / 191)), () => nested(190)).join()}]`,
    'many tiny lists': JSON.stringify(many(room(3, values - 2), () => [])),
    'one long text': JSON.stringify('x'.repeat(bytes - 10)),
    'many escapes': JSON.stringify('\\"\n'.repeat(Math.floor(bytes / 6) - 2)),
    'text of other scripts': JSON.stringify('é漢😀'.repeat(Math.floor(bytes / 9) - 2)),
    numbers: JSON.stringify(many(room(8, values - 2), (index) => 1_000_000 + index)),
    'long names': JSON.stringify(
      Object.fromEntries(many(room(1016, names), (index) => [`${'n'.repeat(1000)}${index}`, index])),
    ),
    'texts like secrets': JSON.stringify([
      secret,
      ...many(room(secret.length + 2, values - 2), () => `${secret.slice(0, -1)}#`),
    ]),
    'a list of records': JSON.stringify(many(room(100, Math.floor(values / 9)), () => row)),
  }
}
