import { fail, meets, oneLine, startOf, valueAt } from '#kit'
import type { Effect, ErrorDetails, ErrorRule, Failure, FailureCode, FieldError, WireProfile } from '#kit'
import { redacted } from '../guard/scrub.ts'
import type { Reply } from '../types.ts'

const excerptLength = 200

const byStatus: Record<number, FailureCode> = {
  401: 'not_connected',
  402: 'credits_exhausted',
  403: 'access_denied',
  404: 'not_found',
  409: 'conflict',
  413: 'too_large',
  429: 'rate_limited',
  451: 'suppressed',
}

const sentences: Partial<Record<FailureCode, string>> = {
  not_connected: "The provider does not accept the account's credential. Reconnect the account, then run this again.",
  credits_exhausted: 'The provider says that the account has no credits left. Its owner has to top it up.',
  access_denied:
    'The account may not see or do this at the provider. Ask its owner for access, or use another account.',
  not_found: 'The provider does not know what was named, or the account cannot see it. Check the id.',
  conflict: 'The provider says that this contradicts the present state. Read it again, then decide.',
  too_large: 'The provider says that the request is too large. Send less at a time.',
  rate_limited: "The provider's rate limit is used up. Repeat later.",
  suppressed: 'The person or company opted out at the provider. Do not look for them elsewhere.',
  rejected: 'The provider refused the request. Its message says what to change.',
  provider_failed: 'The provider failed on its side. Try again later.',
  outcome_unknown: 'The provider failed while it worked on this, so it may have happened. Check before you repeat it.',
  bad_reply: 'The provider answered something that is not what its documents say.',
}

/** A secret that signs webhooks: a provider may choose it, so nothing but its usual prefix tells it from other text. */
const signingSecret = /whsec_[\w+/=-]+/g

/** A short, printable piece of a reply's text. */
export const excerptOf = (body: unknown): string =>
  oneLine((typeof body === 'string' ? body : startOf(body, excerptLength * 10)).slice(0, excerptLength * 10))
    .replace(signingSecret, redacted)
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, excerptLength)

const messageKeys = ['message', 'error_description', 'error', 'detail', 'title', 'errors']

/** The provider's own words: the first text under a usual name, otherwise the text of the reply. */
const providerMessage = (body: unknown): string | undefined => {
  if (body === null || body === '') return undefined
  if (typeof body === 'object' && !Array.isArray(body)) {
    for (const key of messageKeys) {
      const value = (body as Record<string, unknown>)[key]
      if (typeof value === 'string' && value !== '') return excerptOf(value)
      if (typeof value === 'object' && value !== null) return excerptOf(value)
    }
  }
  return excerptOf(body)
}

const maxDetails = 10

const textAt = (item: unknown, dotted: string | undefined): string | undefined => {
  const value = dotted === undefined ? undefined : valueAt(item, dotted)
  return value === undefined || value === null || value === ''
    ? undefined
    : excerptOf(typeof value === 'object' ? value : String(value))
}

type WrongField = { field: string; said: string }

/** The wrong fields that an error reply names: in a list, or in an object by the name of the field. */
const wrongFields = (body: unknown, { at, field, code, message }: NonNullable<ErrorDetails['list']>): WrongField[] => {
  const wrong = valueAt(body, at)
  const saidOf = (item: unknown) => textAt(item, message) ?? textAt(item, code) ?? excerptOf(item)
  if (Array.isArray(wrong))
    return wrong.slice(0, maxDetails).map((item) => ({ field: textAt(item, field) ?? '', said: saidOf(item) }))
  if (typeof wrong !== 'object' || wrong === null) return []
  return Object.entries(wrong)
    .slice(0, maxDetails)
    .map(([name, item]) => ({ field: excerptOf(name), said: saidOf(Array.isArray(item) ? item[0] : item) }))
}

const toError = ({ field, said }: WrongField): FieldError => ({
  pointer: `/${field.replaceAll('~', '~0').replaceAll('/', '~1')}`,
  message: said,
})
const sayField = ({ field, said }: WrongField) => (field === '' ? said : `${field}: ${said}`)

const failureOf = (
  code: FailureCode,
  reply: Reply,
  { errorDetails }: WireProfile,
  message = sentences[code],
): Failure => {
  const { status, body } = reply
  const sentence = `${message ?? 'The provider refused the request.'} (It answered ${status}.)`
  const said =
    errorDetails?.message?.map((at) => textAt(body, at)).find((text) => text !== undefined) ?? providerMessage(body)
  const wrong = errorDetails?.list === undefined ? [] : wrongFields(body, errorDetails.list)
  if (wrong.length === 0) return fail(code, sentence, { providerStatus: status, providerMessage: said })
  return fail(code, `${sentence} It says: ${wrong.map(sayField).join('; ')}`, {
    providerStatus: status,
    providerMessage: said,
    errors: wrong.map(toError),
  })
}

const isOk = (status: number) => status >= 200 && status < 300

/** Text that happens to be in a good record is no error: only rules that name a status or a path judge such replies. */
const mayFitOk = ({ status, path }: ErrorRule) => {
  if (status === undefined) return (path ?? '') !== ''
  const [from, to] = typeof status === 'number' ? [status, status] : status
  return from < 300 && to >= 200
}

const rulesForOk = new WeakMap<WireProfile, ErrorRule[]>()
const okRulesOf = (profile: WireProfile): ErrorRule[] => {
  let rules = rulesForOk.get(profile)
  if (!rules) rulesForOk.set(profile, (rules = profile.errors.filter(mayFitOk)))
  return rules
}

const fitsEffect = (rule: ErrorRule, effect: Effect) =>
  rule.effect === undefined || (rule.effect === 'read') === (effect === 'read')

/** The first of the profile's rules that fits a reply to a request with this effect. */
export const ruleFor = (
  profile: WireProfile,
  reply: Pick<Reply, 'status' | 'headers' | 'body'>,
  effect: Effect,
): ErrorRule | undefined =>
  (isOk(reply.status) ? okRulesOf(profile) : profile.errors).find(
    (rule) => fitsEffect(rule, effect) && meets(rule, reply),
  )

/** Whether a rule says that the provider could not do now what a read asked for, so that it is worth sending again. */
export const isTroubleWithRead = ({ failure, effect }: ErrorRule) => failure === 'provider_failed' && effect === 'read'

/** The rule by which a reply with a good status means that the request is to be sent again, now or later. */
export const repeatRuleFor = (
  profile: WireProfile,
  reply: Pick<Reply, 'status' | 'headers' | 'body'>,
  effect: Effect,
): ErrorRule | undefined => {
  const repeats = (rule: ErrorRule) => rule.failure === 'rate_limited' || isTroubleWithRead(rule)
  if (!okRulesOf(profile).some(repeats)) return undefined
  const rule = ruleFor(profile, reply, effect)
  return rule && repeats(rule) ? rule : undefined
}

const serverFailure = (profile: WireProfile, status: number, effect: Effect): FailureCode =>
  effect === 'create' && profile.rejectsBeforeExecuting?.includes(status) !== true
    ? 'outcome_unknown'
    : 'provider_failed'

/** What a complete reply means: the profile's rules decide in order, then the status. undefined: it is no failure. */
export const classify = (profile: WireProfile, reply: Reply, effect: Effect): Failure | undefined => {
  const { status } = reply
  if (isOk(status) && reply.json && okRulesOf(profile).length === 0) return undefined
  const rule = ruleFor(profile, reply, effect)
  // No rule may make a write that may have happened look as if it could be sent again.
  if (rule?.failure === 'provider_failed' && status >= 500)
    return failureOf(serverFailure(profile, status, effect), reply, profile)
  if (rule) return failureOf(rule.failure, reply, profile, rule.message)
  if (isOk(status)) {
    if (reply.json || reply.plain || reply.body === null) return undefined
    return fail(
      'bad_reply',
      `The provider answered ${status} with something that is not JSON. It is down for maintenance, or the address in the wire profile is wrong.`,
      {
        providerStatus: status,
        providerMessage: excerptOf(reply.body),
      },
    )
  }
  if (reply.notModified) return undefined
  if (status >= 300 && status < 400) {
    return fail(
      'rejected',
      `The provider answered with a redirect (${status}), which is not followed. If it has moved, the operator sets its new address.`,
      {
        providerStatus: status,
      },
    )
  }
  if (status >= 500 && status !== 501 && status !== 505)
    return failureOf(serverFailure(profile, status, effect), reply, profile)
  return failureOf(byStatus[status] ?? 'rejected', reply, profile)
}
