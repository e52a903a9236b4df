import type { EndpointProfile } from '#kit'

/** Endpoints that version 3 of one provider has, and that no request of some other profiles is mapped to. */
const names = [
  'reveal-companies',
  'lookalike-contacts',
  'lookalike-companies',
  'buying-group',
  'website-visits',
  'contact-signals',
  'company-signals',
  'score-contacts',
  'score-companies',
  'contact-seniorities',
]

const none: EndpointProfile = { method: 'POST', path: null, place: 'json', fields: {}, price: [] }

const except = (own: string[]) => names.filter((name) => !own.includes(name))

/** `own`: the endpoints among them that the profile does support. */
export const notMapped = (own: string[] = []): { [endpoint: string]: EndpointProfile } =>
  Object.fromEntries(except(own).map((name) => [name, none]))

export const notMappedAssumed = (own: string[] = []) =>
  Object.fromEntries(except(own).map((name) => [`endpoints.${name}.path`, 'This profile does not support the step.']))
