import { isFailure } from '#kit'
import type { FailureCode, Outcome } from '#kit'
import type { Caller, Pack } from '../../shared/pack.ts'
import type { StepCall } from '../../shared/runtime/steps/step-call.ts'
import { email } from './guarded.ts'

export type World = { pack: Pack; caller: Caller; connection: string; maxCredits?: number }
type Code = FailureCode | 'sent'
/**
 * `without`: guards that this way has no place for. `also`: what it says beside the guard's own code, such as that no
 * row is left to look up.
 */
type Way = { go(world: World): Promise<Code>; without?: string[]; also?: Code[] }
type Guard = { hold(world: World): Promise<World>; codes: Code[] }

const operator = { tenant: 'default' }

/** Failures of single records stand in the results of a run that goes well. */
const failedIn = (value: unknown): FailureCode | undefined =>
  (value as { results?: { failed?: { code: FailureCode } }[] } | undefined)?.results?.find(({ failed }) => failed)
    ?.failed?.code
const codeOf = (outcome: Outcome): Code => (outcome.ok ? (failedIn(outcome.value) ?? 'sent') : outcome.failure.code)

const codeFrom = async (work: () => Promise<Code | undefined>): Promise<Code> => {
  try {
    return (await work()) ?? 'sent'
  } catch (thrown) {
    if (isFailure(thrown)) return thrown.code
    throw thrown
  }
}

const run = async ({ pack, caller, maxCredits }: World, step: string, input: unknown, over: Partial<StepCall> = {}) =>
  codeOf(
    await pack.steps.run(caller, {
      integration: 'guarded',
      step,
      input,
      ...(maxCredits === undefined ? {} : { maxCredits }),
      ...over,
    }),
  )

const step = (id: string, input: unknown, over?: Partial<StepCall>): Way => ({
  go: (world) => run(world, id, input, over),
})
const apiCall = (method: string, path: string): Way =>
  step('api-call', {
    method,
    path,
    ...(method === 'GET' || method === 'DELETE' ? { query: { mail: email } } : { body: { mail: email } }),
    strict: false,
  })

async function* bytesOf(text: string) {
  yield Buffer.from(text)
}

const job = async ({ pack, caller, maxCredits }: World): Promise<Code | undefined> => {
  const { id: file } = await pack.files.create(caller, { name: 'people.csv', content: bytesOf(`email\n${email}\n`) })
  const { id } = await pack.jobs.create(caller, {
    integration: 'guarded',
    file,
    ...(maxCredits === undefined ? { confirm: true } : { maxCredits }),
  })
  await pack.start()
  for (;;) {
    const { state, reason, suppressed, errors } = await pack.jobs.get(caller, id)
    if (reason) return reason.code
    if (state === 'done') return suppressed > 0 ? 'suppressed' : errors > 0 ? 'not_allowed' : 'sent'
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

const waterfall = async ({ pack, caller, maxCredits }: World): Promise<Code | undefined> => {
  const outcome = await pack.lookups.run(caller, {
    kind: 'person',
    identifiers: { email },
    want: ['jobTitle'],
    ...(maxCredits === undefined ? {} : { maxCredits }),
  })
  if (!outcome.ok) return outcome.failure.code
  const reports = (outcome.value as { providers: { failure?: { code: FailureCode }; status: string }[] }).providers
  return (
    reports.find(({ failure }) => failure)?.failure?.code ??
    (reports.some(({ status }) => status === 'skipped') ? 'budget_exceeded' : undefined)
  )
}

export const loadChoices = (id: string, field: string): Way => ({
  go: ({ pack, caller }) =>
    codeFrom(async () => {
      await pack.steps.options(caller, { integration: 'guarded', step: id, field, values: { email } })
      return undefined
    }),
})

const wireCheck = async ({ pack, caller, connection }: World): Promise<Code | undefined> => {
  const { endpoints } = await pack.connections.wireCheck(caller, connection, { spend: true })
  return endpoints.find(({ failure }) => failure)?.failure?.code
}

export const ways: Record<string, Way> = {
  'a lookup': step('find', { email }),
  'a lookup with a key': step('find', { email }, { idempotencyKey: 'again' }),
  'a bulk request': step('find-many', { emails: [email, email.toUpperCase()] }),
  'a search': step('search', { email }),
  'an endpoint that is asked': step('ask', { email }),
  'a request of a step': step('send', { email }),
  'an exchange of a step': step('exchange', { email }),
  'a reply that is stored': step('save', { email }),
  'lookups that are sent together': {
    async go(world) {
      const codes = await Promise.all(
        [email, email].map((one, at) => run(world, 'find', { email: one }, { merge: true, refresh: at === 1 })),
      )
      return codes.find((code) => code !== 'sent') ?? 'sent'
    },
  },
  'a job': { go: (world) => codeFrom(() => job(world)), also: ['invalid_input'] },
  'a lookup at several providers': { go: (world) => codeFrom(() => waterfall(world)) },
  // Choices are free, and those of a profile name nobody.
  'choices that a step loads': {
    ...loadChoices('find', 'email'),
    without: ['a budget of 0', 'maxCredits 0', 'an approval rule'],
  },
  'choices of the profile': {
    ...loadChoices('search', 'title'),
    without: ['a budget of 0', 'maxCredits 0', 'a suppressed person', 'an approval rule'],
  },
  'a wire check': { go: (world) => codeFrom(() => wireCheck(world)), without: ['maxCredits 0'], also: ['not_allowed'] },
  ...Object.fromEntries(
    ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].flatMap((method) =>
      ['/person', '/PERSON', '/person/', '/%70erson', '/person.json'].map((path) => [
        `${method} ${path}`,
        apiCall(method, path),
      ]),
    ),
  ),
}

export const guards: Record<string, Guard> = {
  'a budget of 0': {
    async hold(world) {
      await world.pack.budgets.create(operator, { scope: 'tenant', credits: 0, period: 'total' })
      return world
    },
    codes: ['budget_exceeded'],
  },
  'maxCredits 0': { hold: async (world) => ({ ...world, maxCredits: 0 }), codes: ['budget_exceeded'] },
  'a suppressed person': {
    async hold(world) {
      await world.pack.suppressions.add(operator, [{ email }])
      return world
    },
    codes: ['suppressed'],
  },
  'an approval rule': {
    async hold(world) {
      await world.pack.approvalRules.create(operator, { when: {}, by: 'approvers', expiresMinutes: 60 })
      return world
    },
    codes: ['approval_pending'],
  },
  'a denied path': {
    async hold(world) {
      await world.pack.connections.patch(operator, world.connection, { policy: { paths: ['/elsewhere/**'] } })
      return world
    },
    codes: ['not_allowed'],
  },
  'a bound token': {
    hold: async (world) => ({
      ...world,
      caller: { ...operator, token: 'tok_bound', scopes: ['run'], steps: ['guarded/other'] },
    }),
    codes: ['not_allowed', 'not_connected'],
  },
  'a token of another connection': {
    hold: async (world) => ({
      ...world,
      caller: { ...operator, token: 'tok_bound', scopes: ['run'], connections: ['con_other'] },
    }),
    codes: ['not_allowed', 'not_found', 'not_connected'],
  },
}
