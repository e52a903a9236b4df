import { HTTPError } from 'ky'
import type { Options } from 'ky'
import { fail, isAbsent, isFailure } from '#kit'
import type { ExampleCase, FailureJson, Outcome, RunMeta } from '#kit'
import type { IntegrationSummary } from '../../pack.ts'
import type { Manifest, StepManifest } from '../../runtime/catalogue/manifest.ts'
import { fileVerbs } from './files-client.ts'
import { jobVerbs } from './jobs-client.ts'
import type { JobVerbs } from './jobs-client.ts'
import type { FileVerbs } from './files-client.ts'
import { operatorVerbs } from './operator.ts'
import type { Operator, SaveAnswer } from './operator.ts'
import { creditVerbs } from './credits-client.ts'
import type { CreditVerbs } from './credits-client.ts'
import { privacyVerbs } from './privacy-client.ts'
import type { PrivacyVerbs } from './privacy-client.ts'
import { recordVerbs } from './records-client.ts'
import type { RecordVerbs } from './records-client.ts'
import { asFailure, openRequests } from './request.ts'
import type { Requests, Server } from './request.ts'
import { saveStream } from './save-stream.ts'
import { typed } from './terminal.ts'
import type { Terminal } from './terminal.ts'
import { triggerVerbs } from './trigger-client.ts'
import type { TriggerVerbs } from './trigger-client.ts'

/** The HTTP API of a pack opened in this process. */
export type InProcess = {
  answer(request: Request): Promise<Response>
  /** Reports how far a bulk run is. */
  onProgress(listener: (done: number, total?: number) => void): void
  close(): Promise<void>
}

export type FoundStep = StepManifest & { integration: string }
export type RunCall = {
  integration: string
  step: string
  connection: string | undefined
  input: unknown
  dryRun: boolean
  force: boolean
  maxCredits: number | undefined
  maxAge: number | undefined
  refresh: boolean | undefined
  merge: boolean | undefined
  startId: string | undefined
  idempotencyKey: string | undefined
  signal: AbortSignal
  /** Reports how far a bulk run is, where this process does the work. */
  onProgress?: ((done: number, total?: number) => void) | undefined
}

export type RecordCall = Pick<RunCall, 'integration' | 'step' | 'connection' | 'input'> & { title: string }

export type LookupBody = {
  identifiers: Record<string, string>
  want: string[]
  providers?: { integration: string; connection?: string }[] | undefined
  maxCredits?: number | undefined
  maxAge?: number | undefined
  refresh?: boolean | undefined
  dryRun: boolean
}
export type LookupRequest = { kind: string; body: LookupBody; startId: string | undefined; idempotencyKey: string | undefined; signal: AbortSignal }

/** The verbs of the command line. All throw Failure. */
export type Client = {
  /** Whether a running server does the work now; otherwise starts are sent once a server runs. */
  isServed: boolean
  integrations(): Promise<IntegrationSummary[]>
  manifest(id: string): Promise<Manifest>
  steps(asked: { query: string | undefined; integration: string | undefined }): Promise<FoundStep[]>
  run(call: RunCall): Promise<Outcome>
  /** Looks one person or company up at several providers. */
  lookup(request: LookupRequest): Promise<Outcome>
  /** Folder of the integration that the server serves, if it serves one. @throws Failure `unavailable` when it does not record */
  recordsInto(): Promise<string | undefined>
  /** Runs a step and gives what happened as an example case. */
  record(call: RecordCall): Promise<ExampleCase>
  openapi(): Promise<object>
  triggers: TriggerVerbs
  records: RecordVerbs
  credits: CreditVerbs
  files: FileVerbs
  jobs: JobVerbs
  operator: Operator
  privacy: PrivacyVerbs
  close(): Promise<void>
}

/** Longer than any run on a server takes. */
const runTimeoutMs = 180_000
/** Of several providers, each of which may take as long as a run. */
const lookupTimeoutMs = 600_000

const asOutcome = (failure: FailureJson & { runId?: string }): Outcome => {
  const { runId = '', ...rest } = failure
  return { ok: false, failure: rest, meta: { runId, durationMs: 0, attempts: 0 } }
}

const runOver =
  ({ send, explain }: Requests): Client['run'] =>
  async ({ integration, step, connection, startId, idempotencyKey, signal, onProgress: _, ...body }) => {
    const path = `v1/steps/${encodeURIComponent(integration)}/${encodeURIComponent(step)}/run`
    const headers = { 'start-id': startId, 'idempotency-key': idempotencyKey }
    try {
      const reply = await send(path, { method: 'post', json: { connection, ...body }, headers, signal, timeout: runTimeoutMs })
      const done = (await reply.json()) as { output: unknown; meta: RunMeta }
      return { ok: true, value: done.output, meta: done.meta }
    } catch (thrown) {
      // An answer says more about how the run ended.
      if (signal.aborted && !(thrown instanceof HTTPError)) return asOutcome({ code: 'cancelled', message: 'Cancelled.', retryable: true, actor: 'caller' })
      return asOutcome(explain(thrown))
    }
  }

const lookupOver =
  ({ send, explain }: Requests): Client['lookup'] =>
  async ({ kind, body, startId, idempotencyKey, signal }) => {
    const headers = { 'start-id': startId, 'idempotency-key': idempotencyKey }
    try {
      const reply = await send(`v1/lookups/${kind}`, { method: 'post', json: body, headers, signal, timeout: lookupTimeoutMs })
      const done = (await reply.json()) as { output: unknown; meta: RunMeta }
      return { ok: true, value: done.output, meta: done.meta }
    } catch (thrown) {
      if (signal.aborted && !(thrown instanceof HTTPError)) return asOutcome({ code: 'cancelled', message: 'Cancelled.', retryable: true, actor: 'caller' })
      return asOutcome(explain(thrown))
    }
  }

const saveOver =
  ({ send, explain }: Requests): SaveAnswer =>
  async (path, options, file) => {
    try {
      const { body, headers } = await send(path, options)
      return await saveStream(body!, file, Number(headers.get('content-length')))
    } catch (thrown) {
      throw isFailure(thrown) ? thrown : asFailure(explain(thrown))
    }
  }

const doesNotRecord = (address: string, terminal: Pick<Terminal, 'self'>) =>
  fail(
    'unavailable',
    `The server at ${address} does not record. Serve the integration with "${typed(terminal, 'dev <folder>')}" and set TOOLYARD_DATA as it says, or record against the sandbox with --sandbox.`,
  )

/** Every verb as requests of the HTTP API. */
const verbsOver = (requests: Requests, address: string, terminal: Pick<Terminal, 'self'>) => {
  const { ask } = requests
  const items = async <T>(path: string, options?: Options) => (await ask<{ items: T[] }>(path, options)).items
  return {
    integrations: () => items<IntegrationSummary>('v1/integrations'),
    manifest: (id: string) => ask<Manifest>(`v1/integrations/${encodeURIComponent(id)}`),
    steps: (asked: { query: string | undefined; integration: string | undefined }) => items<FoundStep>('v1/steps', { searchParams: asked }),
    run: runOver(requests),
    lookup: lookupOver(requests),
    async recordsInto() {
      try {
        return (await ask<{ folder: string | null }>('dev/record')).folder ?? undefined
      } catch (thrown) {
        throw isAbsent(thrown) ? doesNotRecord(address, terminal) : thrown
      }
    },
    record: (call: RecordCall) => ask<ExampleCase>('dev/record', { method: 'post', json: call, timeout: runTimeoutMs }),
    openapi: () => ask<object>('openapi.json'),
    triggers: triggerVerbs(ask),
    records: recordVerbs(ask),
    credits: creditVerbs(ask),
    files: fileVerbs(ask, saveOver(requests)),
    jobs: jobVerbs(ask),
    operator: operatorVerbs(ask, saveOver(requests)),
    privacy: privacyVerbs(ask),
  }
}

/** The verbs over a running server. */
export const serverClient = (server: Server, terminal: Pick<Terminal, 'self'>): Client => ({
  ...verbsOver(openRequests(server, terminal), server.address, terminal),
  isServed: true,
  close: async () => {},
})

/** The verbs over a pack in this process, which no provider and no browser can reach. */
export const inProcessClient = ({ answer, onProgress, close }: InProcess, terminal: Pick<Terminal, 'self'>): Client => {
  const address = 'http://this-process'
  const { run, triggers, operator, ...verbs } = verbsOver(openRequests({ address, answer }, terminal), address, terminal)
  const needsServer = (why: string) => async () => {
    throw fail('unavailable', `${why}. Start one with: ${typed(terminal, 'serve')}`)
  }
  return {
    ...verbs,
    isServed: false,
    run(call) {
      if (call.onProgress) onProgress(call.onProgress)
      return run(call)
    },
    triggers: {
      ...triggers,
      subscribe: needsServer('Attaching a trigger needs a running server, because the provider calls it immediately to verify the address'),
    },
    operator: {
      ...operator,
      authorize: needsServer('Connecting in the browser needs a running server'),
      signInLink: needsServer('The console needs a running server'),
    },
    close,
  }
}
