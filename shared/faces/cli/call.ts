import { HTTPError } from 'ky'
import type { Options } from 'ky'
import { fail } from '#kit'
import type { Operation } from '../../api/operation.ts'
import { findOperation } from './operations.ts'
import type { Answer, Input, OperationName } from './operations.ts'
import { asFailure, openRequests } from './request.ts'
import type { Requests, Server } from './request.ts'
import { saveStream } from './save-stream.ts'
import { fullIds } from './short-ids.ts'
import { typed } from './terminal.ts'
import type { Terminal } from './terminal.ts'

export type CallOptions = Pick<Options, 'headers' | 'body' | 'signal'>
type Arguments<Name extends OperationName> =
  {} extends Input<Name> ? [input?: Input<Name>, options?: CallOptions] : [input: Input<Name>, options?: CallOptions]
/** Calls an operation of the HTTP API. @throws Failure */
export type Call = <Name extends OperationName>(name: Name, ...args: Arguments<Name>) => Promise<Answer<Name>>

/** Timeout of an operation in seconds, if it needs more than the default of 30. */
const patience: Partial<Record<OperationName, number>> = {
  'admin.backup': 3_600,
  'admin.rotateKeys': 600,
  'connections.checkConnectionWire': 300,
  'connections.removeConnection': 60,
  'connections.testConnection': 60,
  'events.pruneHooks': 120,
  'files.createFile': 600,
  'files.downloadFile': 600,
  'jobs.cancelJob': 120,
  'jobs.createJob': 120,
  'jobs.pauseJob': 120,
  'jobs.previewJob': 120,
  'jobs.resumeJob': 120,
  // Asks several providers, each of which may take as long as a run.
  'lookups.lookUp': 600,
  // Reads everything that is stored.
  'privacy.erasePerson': 3_600,
  'privacy.exportPerson': 3_600,
  'steps.runStep': 180,
  'subscriptions.changeSubscription': 120,
  'subscriptions.createSubscription': 120,
  'subscriptions.recoverSubscription': 120,
  'subscriptions.resumeSubscription': 120,
  'subscriptions.sampleSubscription': 120,
  'subscriptions.testAgent': 120,
  'subscriptions.testSubscription': 120,
}

/**
 * Operations that a pack in this process cannot do, because no provider or browser can reach it; each with the start of
 * its message.
 */
const needsServer: Partial<Record<OperationName, string>> = {
  'connections.authorizeConnection': 'Connecting in the browser needs a running server',
  'sessions.createSignInCode': 'The console needs a running server',
  'subscriptions.createSubscription':
    'Attaching a trigger needs a running server, because the provider calls it immediately to verify the address',
}

/** Fills the path; other fields go into the body, or into the query of an operation without a body. */
const requestOf = (
  { method, path, input: { body } = {} }: Operation,
  input: object,
): { path: string; options: Options } => {
  const fields: { [name: string]: unknown } = { ...input }
  const filled = path.slice(1).replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = String(fields[name])
    delete fields[name]
    return encodeURIComponent(value)
  })
  if (body) return { path: filled, options: { method, json: fields } }
  const query = Object.entries(fields).flatMap(([name, value]) =>
    [value].flat().flatMap((part) => (part === undefined ? [] : [[name, String(part)]])),
  )
  return { path: filled, options: { method, ...(query.length > 0 ? { searchParams: query } : {}) } }
}

/** The HTTP API of a pack opened in this process. */
export type InProcess = {
  answer(request: Request): Promise<Response>
  /** Reports the progress of a bulk run. */
  onProgress(listener: (done: number, total?: number) => void): void
  close(): Promise<void>
}

/** The HTTP API, of a running server or of a pack in this process. All its methods throw Failure. */
export type Client = Pick<Requests, 'ask'> & {
  call: Call
  /** The same as `call`, for ids that are not shortened. */
  callExact: Call
  /** Saves the content that an operation responds with as a new file. */
  save(name: OperationName, input: object, file: string): Promise<{ bytes: number }>
  /** The text that an operation responds with, such as CSV. */
  text(name: OperationName, input: object): Promise<string>
  address: string
  /** Whether a running server does the work; otherwise starts are sent only once a server runs. */
  isServed: boolean
  onProgress?: InProcess['onProgress']
  close(): Promise<void>
}

export const openClient = (to: Server | InProcess, terminal: Pick<Terminal, 'self'>): Client => {
  const isServed = 'token' in to
  const address = isServed ? to.address : 'http://this-process'
  const { ask, send, explain } = openRequests(isServed ? to : { address, answer: to.answer }, terminal)
  const request = async (name: OperationName, input: object, options: CallOptions): Promise<Response> => {
    const reason = isServed ? undefined : needsServer[name]
    if (reason !== undefined) throw fail('unavailable', `${reason}. Start one with: ${typed(terminal, 'serve')}`)
    const { path, options: fields } = requestOf(await findOperation(name), input)
    try {
      return await send(path, { timeout: (patience[name] ?? 30) * 1_000, ...fields, ...options })
    } catch (thrown) {
      // A response that arrived says more about how the work ended.
      if (options.signal?.aborted && !(thrown instanceof HTTPError))
        throw fail('cancelled', 'Cancelled.', { retryable: true })
      throw asFailure(explain(thrown))
    }
  }
  const callExact = async (name: OperationName, input: object = {}, options: CallOptions = {}): Promise<unknown> => {
    const response = await request(name, input, options)
    return response.status === 204 ? undefined : response.json()
  }
  return {
    ask,
    address,
    callExact: callExact as Call,
    call: (async (name: OperationName, input: { [name: string]: unknown } = {}, options?: CallOptions) => {
      const { path, input: { body } = {} } = await findOperation(name)
      return callExact(name, await fullIds(callExact, { name, path, hasBody: body !== undefined }, input), options)
    }) as Call,
    async save(name, input, file) {
      const { body, headers } = await request(name, input, {})
      return saveStream(body!, file, Number(headers.get('content-length')))
    },
    text: async (name, input) => (await request(name, input, {})).text(),
    isServed,
    ...(isServed ? { close: async () => {} } : { onProgress: to.onProgress, close: to.close }),
  }
}
