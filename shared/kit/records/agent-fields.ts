const contact = [
  'emails.value',
  'emails.type',
  'emails.status',
  'emails.deliverable',
  'phones.number',
  'phones.type',
  'phones.e164',
  'phones.line',
  'phones.doNotCall',
  'linkedinUrl',
  'confidence',
  'suppressed',
]
const place = ['location', 'city', 'region', 'country']

/** The fields of a person that agents need. */
const person = [
  'id',
  'fullName',
  'firstName',
  'lastName',
  'headline',
  'jobTitle',
  'seniority',
  'departments',
  'company',
  'companyId',
  'companyDomain',
  'companyAbn',
  'companySize',
  'companyIndustry',
  'email',
  'hasEmail',
  'hasPhone',
  'hasDoNotCall',
  ...place,
  ...contact,
]

/** The fields of a company that agents need. */
const company = [
  'id',
  'name',
  'legalName',
  'abn',
  'acn',
  'nzbn',
  'status',
  'domain',
  'website',
  'description',
  'industry',
  'employeeCount',
  'employeeRange',
  'revenue',
  'foundedYear',
  'technologies',
  ...place,
  ...contact,
]

const records = { person, company }
const under = (start: string, names: string[]) => names.map((name) => `${start}.${name}`)

const resultFields = (kind: keyof typeof records) => [
  'matched',
  'matchedBy',
  'reason',
  ...under('record', records[kind]),
]

/** `agentFields` of a step with `lookupOutput`: everything but the provider's own copy of the record. */
export const lookupAgentFields = (kind: keyof typeof records) => [...resultFields(kind), 'provenance.untrusted']

/** `agentFields` of a step with `searchOutput`. */
export const searchAgentFields = (kind: keyof typeof records) => [
  ...under('results.record', records[kind]),
  'count',
  'total',
  'next',
  'searchId',
]

/** `agentFields` of a step that answers for many records; `more`: fields of a result beside those of a lookup. */
export const manyAgentFields = (kind: keyof typeof records, more: string[]) => [
  ...under('results', ['index', ...more, ...resultFields(kind), 'failed']),
  'summary',
]
