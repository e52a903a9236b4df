import { expect, it } from 'vitest'
import contactData from '../../integrations/contact-data/manifest.ts'
import { createRegistry } from '../../shared/runtime/catalogue/registry.ts'
import { toolInput } from '../../shared/runtime/catalogue/manifest.ts'
import { openTokenizer } from './installed.ts'

const { steps } = createRegistry([contactData], { 'contact-data': { profile: 'lusha-v3' } }).integration('contact-data')

it.each(['search-contacts', 'search-companies', 'search-and-enrich-contacts', 'search-and-enrich-companies'])(
  'the rows of filters of %s cost an agent at most 600 tokens',
  async (step) => {
    const count = await openTokenizer()
    const { filters } = toolInput(steps.get(step)!).properties as { filters: object }
    const tokens = count(JSON.stringify(filters))
    expect(tokens).toBeGreaterThan(200)
    expect(tokens).toBeLessThanOrEqual(600)
  },
)
