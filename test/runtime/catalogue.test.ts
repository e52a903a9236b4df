import { expect, test } from 'vitest'
import { createCatalogue } from '../../shared/runtime/catalogue/catalogue.ts'
import type { ExampleFiles } from '../../shared/runtime/catalogue/manifest.ts'
import { createLocales } from '../../shared/runtime/catalogue/locales.ts'
import { createRegistry } from '../../shared/runtime/catalogue/registry.ts'
import fourth from '../fixtures/fourth/manifest.ts'

const [step] = fourth.steps
const files = (): ExampleFiles => [
  { step: step!.id, cases: [{ title: 'Usual', input: { name: 'Press kit' }, exchanges: [], output: { id: '1' } }] },
  { trigger: 'made', cases: [{ title: 'Usual', config: {}, data: { card: { name: 'Press kit' } } }] },
]

test('examples are read once, and what a host changes in them changes nothing for others', async () => {
  let reads = 0
  const readExamples = async () => {
    reads += 1
    return files()
  }
  const locales = createLocales({ names: async () => [], read: async () => [] })
  const catalogue = createCatalogue(createRegistry([fourth]), readExamples, locales)
  const answers = async () => ({
    manifest: await catalogue.manifest('fourth'),
    steps: await catalogue.find({ integration: 'fourth' }),
    example: await catalogue.exampleOf('fourth', 'made'),
  })
  const first = await answers()
  const unchanged = JSON.stringify(first)
  Object.assign(first.example!.data as object, { tenant: 't1' })
  for (const { examples } of [...first.manifest.steps, ...first.steps])
    for (const { input } of examples) Object.assign(input as object, { tenant: 't1' })
  expect(JSON.stringify(first)).not.toBe(unchanged)
  expect(JSON.stringify(await answers())).toBe(unchanged)
  expect(reads).toBe(1)
})
