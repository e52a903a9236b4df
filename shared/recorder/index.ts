import { AsyncLocalStorage } from 'node:async_hooks'
import { fail } from '#kit'
import type { ExampleCase, FailureJson, Outcome, TriggerExampleCase } from '#kit'
import type { Exchanged, Pack } from '../pack-types.ts'
import type { Caller } from '../runtime/ports/index.ts'
import { exchangesOf, readdressing } from './exchange-case.ts'
import { createRecentDeliveries } from './recent-deliveries.ts'
import { createRecordDelivery } from './record-delivery.ts'
import type { RecordDelivery } from './record-delivery.ts'
import { hideInAddresses, hideSecrets, requireNoSecret } from './secrets.ts'
import { createStandIns, keepPeople } from './stand-ins.ts'
import { changeWithCursor, mapTexts } from './texts.ts'

export type { RecordDelivery } from './record-delivery.ts'

export type RecordCall = {
  integration: string
  step: string
  connection?: string | undefined
  input: Record<string, unknown>
  title: string
  /** The run is expected to fail, and its failure is recorded; otherwise a failure is thrown. */
  fails?: boolean | undefined
  /** How many pages to read, each by the cursor that the page before it returned as `next`; default: 1. */
  pages?: number | undefined
}

export type Recorder = {
  /** Folder of the integration, where the server knows it. */
  folder: string | undefined
  /** The `onExchange` of the pack whose runs are recorded. */
  onExchange(exchanged: Exchanged): void
  /** The pack, with its accepted deliveries kept for `recordDelivery`. */
  watch<P extends Pick<Pack, 'receive'>>(pack: P): P
  /**
   * Runs a step and makes an example case of the run, or one for each page.
   * @throws Failure that of the run, or `not_allowed` when a case would contain a secret
   */
  record(pack: Pack, caller: Caller, call: RecordCall): Promise<ExampleCase[]>
  /**
   * Makes an example case of a trigger from a delivery.
   * @throws Failure `not_found` when there is no such delivery; `not_allowed` when the case would contain a secret
   */
  recordDelivery(pack: Pack, caller: Caller, call: RecordDelivery): Promise<TriggerExampleCase>
}

const maxPages = 10

const headersShown = (output: unknown) =>
  Object.keys((output as { headers?: Record<string, string> } | null)?.headers ?? {})

/** A limited connection adds requests, which the replay of the example would not send. */
const requireUnlimited = async (pack: Pack, caller: Caller, connection: string) => {
  const { policy, name } = await pack.connections.get(caller, connection)
  if (policy?.scopes?.length)
    throw fail(
      'not_allowed',
      `The connection "${name}" is limited, and checking that adds requests. Record with a connection without limits.`,
    )
}

/** @throws Failure that of a run that should have succeeded; `conflict` when it should have failed and did not */
const requireExpected = (outcome: Outcome, fails: boolean): void => {
  if (outcome.ok && fails)
    throw fail('conflict', 'The run succeeded, so there is no failure to record. Leave out --failing.')
  if (outcome.ok || fails) return
  const { code, message, ...details } = outcome.failure satisfies FailureJson
  throw fail(code, `${message} To record the failure as an example, add --failing.`, details)
}

/** What an example says of an outcome. */
const resultOf = (outcome: Outcome): Pick<ExampleCase, 'output' | 'failure'> => {
  if (outcome.ok) return { output: outcome.value }
  const { code, providerStatus } = outcome.failure
  return { failure: { code, ...(providerStatus === undefined ? {} : { providerStatus }) } }
}

const nextOf = (outcome: Outcome): string | undefined => {
  const next = outcome.ok ? (outcome.value as { next?: unknown } | null)?.next : undefined
  return typeof next === 'string' ? next : undefined
}

type RecorderOptions = {
  folder?: string | undefined
  /** The provider's people are fictional, and stay as they are. */
  keepsPeople?: boolean
}

/** Makes example cases of what really happened, without secrets, people and the addresses of this installation. */
export const createRecorder = ({ folder, keepsPeople = false }: RecorderOptions = {}): Recorder => {
  // Other runs, and polls, continue in the meantime and must not be recorded.
  const recording = new AsyncLocalStorage<Exchanged[]>()
  const standIns = keepsPeople ? keepPeople : createStandIns()
  const deliveries = createRecentDeliveries()

  /** Does the work, and returns the exchanges that it made. */
  const observed = async <T>(work: () => Promise<T>): Promise<{ result: T; exchanges: Exchanged[] }> => {
    const exchanges: Exchanged[] = []
    return { result: await recording.run(exchanges, work), exchanges }
  }

  const runOnce = async (pack: Pack, caller: Caller, { title: _, fails = false, pages: __, ...call }: RecordCall) => {
    const { result: outcome, exchanges } = await observed(() => pack.steps.run(caller, call))
    requireExpected(outcome, fails)
    if (outcome.meta.connection) await requireUnlimited(pack, caller, outcome.meta.connection.id)
    return { outcome, exchanges, input: call.input }
  }

  const runPages = async (pack: Pack, caller: Caller, call: RecordCall) => {
    const pages = Math.min(call.pages ?? 1, maxPages)
    const runs = [await runOnce(pack, caller, call)]
    while (runs.length < pages) {
      const cursor = nextOf(runs.at(-1)!.outcome)
      if (cursor === undefined) break
      runs.push(await runOnce(pack, caller, { ...call, input: { ...call.input, cursor } }))
    }
    return runs
  }

  return {
    folder,
    onExchange: (exchanged) => void recording.getStore()?.push(exchanged),
    watch: deliveries.watch,

    async record(pack, caller, call) {
      const { integration } = pack.registry.integration(call.integration)
      const runs = await runPages(pack, caller, call)
      const exchanged = runs.flatMap(({ exchanges }) => exchanges)
      const readdress = readdressing(exchanged, integration)
      const hide = hideSecrets(integration.wire.reserved)
      const cases = runs.map(({ outcome, exchanges, input }, index): ExampleCase => {
        const shown = call.step === 'api-call' && outcome.ok ? headersShown(outcome.value) : []
        const { output, ...failed } = resultOf(outcome)
        return {
          title: index === 0 ? call.title : `${call.title}, page ${index + 1}`,
          input,
          exchanges: exchangesOf(exchanges, integration, shown).map(({ request, reply }) => ({
            request,
            reply: { ...reply, body: hide(reply.body) as typeof reply.body },
          })),
          ...(outcome.ok ? { output: hide(output) } : failed),
        }
      })
      standIns.learn(cases)
      const hideAddress = hideInAddresses(cases)
      const change = (text: string) => standIns.replace(hideAddress(readdress(text)))
      const clean = cases.map(({ title, ...example }): ExampleCase => ({
        title,
        ...(mapTexts(example, (text) => changeWithCursor(text, change)) as Omit<ExampleCase, 'title'>),
      }))
      requireNoSecret(
        clean,
        exchanged.map(({ holdsSecret }) => holdsSecret),
      )
      return clean
    },

    recordDelivery: createRecordDelivery({ deliveries, standIns, observe: observed }),
  }
}
