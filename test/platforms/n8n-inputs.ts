import type { StepOf } from '../../scripts/packages/manifests.ts'

const card = '695b7afc0000000000000028'
const unknownCard = '695b7afc00000000000fffff'

/**
 * Where the provider that the sandbox plays takes other values than the examples have, or n8n a file of its own (the
 * name of the field with it).
 */
const otherwise: Record<string, Record<string, unknown>> = {
  'contact-data/search-contacts': { jobTitle: 'marketing', limit: 10 },
  'work-board/attach-file': { idCard: card, file: 'data' },
  // A board that no other step needs.
  'work-board/delete-board': { idBoard: '695b9b540000000000000065', confirmName: 'Last year' },
}

/** A right input: the first example that ends well. */
export const rightInputs = (key: string, { examples }: StepOf): Record<string, unknown> =>
  otherwise[key] ?? examples.find(({ output }) => output !== undefined)?.input ?? {}

/** Fields of the sandbox's profile, which the manifests do not offer: the provider's documents do not show them. */
export const sandboxFields: Record<string, string[]> = {
  'contact-data/search-contacts': ['jobTitle', 'location'],
  'contact-data/search-companies': ['industry', 'size'],
  'contact-data/search-and-enrich-contacts': ['company', 'reveal'],
  'contact-data/search-and-enrich-companies': ['name'],
  'contact-data/reveal-contacts': ['reveal'],
}

/** Ids that nothing of the sandbox has, by the field that takes them. */
const unknownIds: Record<string, unknown> = {
  idCard: unknownCard,
  idCards: [unknownCard],
  idList: '695b70ac00000000000fffff',
  fromList: '695b70ac00000000000fffff',
  idBoard: '695b70ac00000000000fffff',
  idLabel: '695b70ac00000000000fffff',
}

type Wrong = { input: Record<string, unknown>; code: string }
/**
 * A wrong input of a step, which n8n itself lets through, and how it fails. Where none is written below, the right one
 * with an unknown id.
 */
export const wrongInput = (key: string, step: StepOf): Wrong => {
  const own = wrongInputs[key]
  if (own) return own
  const right = rightInputs(key, step)
  const field = Object.keys(unknownIds).find((name) => name in right)
  if (field === undefined) throw new Error(`${key} has no wrong input.`)
  return { input: { ...right, [field]: unknownIds[field] }, code: 'not_found' }
}

const wrongInputs: Record<string, Wrong> = {
  'work-board/create-card': { input: { idList: 'not an id', name: 'x' }, code: 'invalid_input' },
  'work-board/update-card': { input: { idCard: card, due: 'tomorrow' }, code: 'invalid_input' },
  'work-board/get-boards': { input: { limit: 100_000 }, code: 'invalid_input' },
  'work-board/create-list': { input: { idBoard: 'https://example.com/b/1', name: 'x' }, code: 'invalid_input' },
  'work-board/create-a-checklist-item': {
    input: { idChecklist: '695b83e400000000000fffff', name: 'x' },
    code: 'not_found',
  },
  'work-board/set-custom-fields': {
    input: { idCard: card, customFields: { 'No such field': 1 } },
    code: 'invalid_input',
  },
  'work-board/attach-file': { input: { idCard: unknownCard, file: 'data' }, code: 'not_found' },
  'work-board/react-to-comment': {
    input: { idCard: card, idComment: '695b851000000000000fffff', emoji: 'thumbsup' },
    code: 'not_found',
  },
  'work-board/get-workspaces': { input: { connection: 'no such account' }, code: 'not_found' },
  'work-board/get-member': { input: { idMember: 'nobodyofthisname' }, code: 'not_found' },
  'work-board/update-checklist': { input: { idChecklist: '695b83e400000000000fffff', name: 'x' }, code: 'not_found' },
  'work-board/update-custom-field': {
    input: { idCustomField: '695b85100000000000000fff', name: 'x' },
    code: 'not_found',
  },
  'work-board/delete-custom-field': { input: { idCustomField: '695b85100000000000000fff' }, code: 'not_found' },
  'work-board/archive-cards': { input: { query: 'launch' }, code: 'invalid_input' },
  'work-board/create-board': { input: { name: 'x'.repeat(20_000) }, code: 'invalid_input' },
  'work-board/search': { input: { query: 'launch', limit: 100_000 }, code: 'invalid_input' },
  'work-board/search-members': { input: { query: 'odette', limit: 100_000 }, code: 'invalid_input' },
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
  'contact-data/search-and-enrich-contacts': { input: { limit: 1000 }, code: 'invalid_input' },
  'contact-data/search-and-enrich-companies': { input: { limit: 1000 }, code: 'invalid_input' },
  'contact-data/reveal-contacts': { input: { personIds: [' '] }, code: 'invalid_input' },
  'contact-data/reveal-companies': { input: { companyIds: [' '] }, code: 'invalid_input' },
  'contact-data/find-lookalike-contacts': { input: { personIds: ['1'] }, code: 'invalid_input' },
  'contact-data/find-lookalike-companies': { input: { domains: ['kowhai.example'] }, code: 'invalid_input' },
  'contact-data/find-buying-group': { input: { domain: '127.0.0.1' }, code: 'invalid_input' },
  'contact-data/get-website-visits': {
    input: { domains: ['shop.example'], firstDay: 'today', lastDay: '2026-11-01' },
    code: 'invalid_input',
  },
  'contact-data/get-contact-signals': { input: { personIds: [' '], types: ['promotion'] }, code: 'invalid_input' },
  'contact-data/get-company-signals': { input: { companyIds: [' '], types: ['riskNews'] }, code: 'invalid_input' },
  'contact-data/score-contacts': { input: { contacts: [] }, code: 'invalid_input' },
  'contact-data/score-companies': { input: { companies: [] }, code: 'invalid_input' },
  'contact-data/list-filter-values': { input: { filter: 'industry', limit: 100_000 }, code: 'invalid_input' },
  // It has no fields.
  'contact-data/account-usage': { input: { connection: 'no such account' }, code: 'not_found' },
  'contact-data/find-endpoints': { input: { query: 'x', limit: 100_000 }, code: 'invalid_input' },
  'contact-data/api-call': { input: { method: 'GET', path: '/../x' }, code: 'not_allowed' },
}
