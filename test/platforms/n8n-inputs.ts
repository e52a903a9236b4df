import type { StepOf } from '../../scripts/packages/manifests.ts'

const card = '695b7afc0000000000000028'
const unknownCard = '695b7afc00000000000fffff'

/** Where the provider that the sandbox plays takes other values than the examples have, or n8n a file of its own (the name of the field with it). */
const otherwise: Record<string, Record<string, unknown>> = {
  'contact-data/search-contacts': { jobTitle: 'marketing', limit: 10 },
  'work-board/attach-file': { idCard: card, file: 'data' },
}

/** A right input: the first example that ends well. */
export const rightInputs = (key: string, { examples }: StepOf): Record<string, unknown> =>
  otherwise[key] ?? examples.find(({ output }) => output !== undefined)?.input ?? {}

/** Fields of the sandbox's profile, which the manifests do not offer: the provider's documents do not show them. */
export const sandboxFields: Record<string, string[]> = {
  'contact-data/search-contacts': ['jobTitle', 'location'],
  'contact-data/search-companies': ['industry', 'size'],
  'contact-data/reveal-contacts': ['reveal'],
}

/** A wrong input for every step, which n8n itself lets through, and how it fails. */
export const wrongInputs: Record<string, { input: Record<string, unknown>; code: string }> = {
  'work-board/create-card': { input: { idList: 'not an id', name: 'x' }, code: 'invalid_input' },
  'work-board/update-card': { input: { idCard: card, due: 'tomorrow' }, code: 'invalid_input' },
  'work-board/get-card': { input: { idCard: unknownCard }, code: 'not_found' },
  'work-board/archive-card': { input: { idCard: unknownCard }, code: 'not_found' },
  'work-board/get-boards': { input: { limit: 100_000 }, code: 'invalid_input' },
  'work-board/get-list-cards': { input: { idList: '695b70ac00000000000fffff' }, code: 'not_found' },
  'work-board/create-list': { input: { idBoard: 'https://example.com/b/1', name: 'x' }, code: 'invalid_input' },
  'work-board/add-comment-to-card': { input: { idCard: unknownCard, text: 'x' }, code: 'not_found' },
  'work-board/add-comment': { input: { idCard: unknownCard, text: 'x' }, code: 'not_found' },
  'work-board/add-checklist': { input: { idCard: unknownCard, name: 'x' }, code: 'not_found' },
  'work-board/create-a-checklist-item': { input: { idChecklist: '695b83e400000000000fffff', name: 'x' }, code: 'not_found' },
  'work-board/set-custom-fields': { input: { idCard: card, customFields: { 'No such field': 1 } }, code: 'invalid_input' },
  'work-board/attach-file': { input: { idCard: unknownCard, file: 'data' }, code: 'not_found' },
  'work-board/find-endpoints': { input: { query: 'cards', limit: 100_000 }, code: 'invalid_input' },
  'work-board/api-call': { input: { method: 'GET', path: '/1/../etc' }, code: 'not_allowed' },
  'anz-data/people-enrichment': { input: { email: 'no address' }, code: 'invalid_input' },
  'anz-data/people-search': { input: { position: 'x', limit: 100_000 }, code: 'invalid_input' },
  'anz-data/company-enrichment': { input: { abn: '12' }, code: 'invalid_input' },
  'anz-data/find-endpoints': { input: { query: 'x', limit: 100_000 }, code: 'invalid_input' },
  'anz-data/api-call': { input: { method: 'GET', path: '/../x' }, code: 'not_allowed' },
  'contact-data/enrich-contacts': { input: { contacts: [] }, code: 'invalid_input' },
  'contact-data/find-contact': { input: { firstName: 'Only' }, code: 'invalid_input' },
  'contact-data/search-contacts': { input: { limit: 100_000 }, code: 'invalid_input' },
  'contact-data/enrich-companies': { input: { companies: [] }, code: 'invalid_input' },
  'contact-data/find-company': { input: { domain: '127.0.0.1' }, code: 'invalid_input' },
  'contact-data/search-companies': { input: { limit: 100_000 }, code: 'invalid_input' },
  'contact-data/reveal-contacts': { input: { personIds: [' '] }, code: 'invalid_input' },
  // It has no fields.
  'contact-data/account-usage': { input: { connection: 'no such account' }, code: 'not_found' },
  'contact-data/find-endpoints': { input: { query: 'x', limit: 100_000 }, code: 'invalid_input' },
  'contact-data/api-call': { input: { method: 'GET', path: '/../x' }, code: 'not_allowed' },
}
