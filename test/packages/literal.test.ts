import { stripTypeScriptTypes } from 'node:module'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { stepFile as zapierStep, triggerFile as zapierTrigger } from '../../scripts/packages/zapier/index.ts'
import { actionFile, triggerFile as pieceTrigger } from '../../scripts/packages/activepieces/index.ts'
import { code, literal } from '../../scripts/packages/literal.ts'
import { readManifests } from '../../scripts/packages/manifests.ts'
import type { Manifest } from '../../scripts/packages/manifests.ts'
import { n8nPackage } from '../../scripts/packages/n8n/index.ts'
import { print } from '../../scripts/packages/n8n/print.ts'

/** Texts that end a literal, a comment or a template, where they are not escaped. */
const nasty = [
  `'`,
  `"`,
  '`',
  `\\'`,
  `\\\\'`,
  `\\"`,
  '${globalThis.hit()}',
  '*/ globalThis.hit() /*',
  `' + globalThis.hit() + '`,
  '\n globalThis.hit() //',
  '\r\n',
  '\u2028globalThis.hit()\u2029',
  '</script>',
  "$& $1 $` $' $$",
  '\u0000',
]
const values = {
  texts: nasty,
  // As a country or a failure has it.
  code: { code: 'globalThis.hit()' },
  named: Object.fromEntries(nasty.map((name) => [name, name])),
  poisoned: JSON.parse('{ "__proto__": { "hit": true }, "constructor": "x" }') as object,
}

const run = (source: string) => {
  let hits = 0
  const value: unknown = runInNewContext(source, { hit: () => (hits += 1) })
  expect(hits).toBe(0)
  return JSON.stringify(value)
}

/** Runs a generated file: what it imports are functions that give back what they are given. */
const load = (source: string) => {
  const plain = stripTypeScriptTypes(source)
    .replaceAll(/^import (\{.*\}) from .*$/gm, 'const $1 = require()')
    .replaceAll(/^export class (\w+)([^]*)$/gm, 'class $1$2\nnew $1()')
    .replaceAll(/^export const /gm, 'const ')
  const stubProperties = new Map<unknown, unknown>([
    ['toString', () => 'stub'],
    [Symbol.iterator, () => [].values()],
  ])
  const stub: object = new Proxy((value: unknown) => value, { get: (_, name) => stubProperties.get(name) ?? stub })
  let hits = 0
  runInNewContext(`(() => {\n${plain}\n})()`, { hit: () => (hits += 1), require: () => stub, exports: {}, module: {} })
  expect(hits).toBe(0)
}

describe('generated code', () => {
  it.each([
    ['literal', literal],
    ['print', print],
  ])('holds every text as a text (%s)', (_, write) => {
    expect(run(`(${write(values)})`)).toBe(JSON.stringify(values))
    for (const text of nasty) expect(run(write(text))).toBe(JSON.stringify(text))
  })

  it('holds as an expression only what a generator made one', () => {
    expect(literal({ a: code('1 + 1'), b: { code: '1 + 1' } })).toBe(`{ a: 1 + 1, b: { code: '1 + 1' } }`)
  })

  it('is code without anything of a manifest in it', async () => {
    const text = nasty.join(' ')
    const { pack, manifests } = readManifests()
    const board = manifests.find(({ id }) => id === 'work-board')!
    const spoil = <T>(value: T): T =>
      JSON.parse(
        JSON.stringify(value, (name, field: unknown) =>
          /^(title|purpose|description|summary|placeholder|caveat)$/.test(name) && typeof field === 'string'
            ? `${text}.`
            : field,
        ),
      ) as T
    const spoilt: Manifest = {
      ...spoil(board),
      steps: spoil(board.steps).map((step) => ({ ...step, sample: values })),
      triggers: spoil(board.triggers.slice(0, 2)),
    }
    const trigger = { ...spoilt.triggers[0]!, sample: values }
    const files = (await n8nPackage({ pack, manifests: [spoilt] })) as Record<string, string>
    const sources = [
      ...spoilt.steps.flatMap((step) => [zapierStep(spoilt, step), actionFile(spoilt, step)]),
      zapierTrigger(spoilt, trigger),
      pieceTrigger(spoilt, trigger),
      ...Object.entries(files).flatMap(([name, source]) => (/^nodes\/(?!shared).*\.ts$/.test(name) ? [source] : [])),
    ]
    for (const source of sources) load(source)
  })
})
