/**
 * `toolyard/client`: calls the HTTP API of a server. Operations, their inputs and answers are those of the contract;
 * failures are returned as the library returns them. Loads no code of the server and no module of Node, so it runs
 * wherever `fetch` does.
 */
import { routes } from '../../../manifests/operations.ts'
import type { OperationTypes } from '../../../manifests/operations.ts'
import type { FailureJson } from '#kit'
import type { AnyIntegration, InputOf, OutputOf, StepOf } from '../typed-steps.ts'
import { requestOf } from './request.ts'
import type { Content } from './request.ts'
import { answerOf, clientFailure, createSender } from './send.ts'
import type { Fetch } from './send.ts'

export type { FailureCode, FailureJson } from '#kit'
export type { OperationTypes } from '../../../manifests/operations.ts'
export type { StepInput, StepOutput } from '../typed-steps.ts'

/** Id of an operation, such as `listRuns`: `operationId` in `/openapi.json`. */
export type OperationId = keyof OperationTypes
/** Parameters, query and body of an operation, as one object. */
export type Input<Id extends OperationId> = OperationTypes[Id]['input']
/** What an operation answers: JSON, text, the `Response` of a file or stream, or `undefined`. */
export type Answer<Id extends OperationId> = OperationTypes[Id]['answer']

type Option = {
  /** Identifies the request: a repeat with the same key does nothing again. 1 to 255 visible ASCII characters. */
  idempotencyKey: string
  /** The agent start that the call belongs to. */
  startId: string
  /** The end user whom the tool acts for. Other operations take it in their input. */
  person: string
  /** true: answers with `{ runId }` when the run goes on in the background. */
  background: boolean
  /** The content of a file, in place of `base64` and `url`; `name` of the input is its name. */
  content: Content
}
/** The options of a call: those that every operation takes, and those of this operation. */
export type CallOptions<Id extends OperationId> = {
  /** Ends the call with the failure `cancelled`. */
  signal?: AbortSignal
  /** How long to wait for the answer; by default 30 seconds for reads by GET, 10 minutes for other operations. */
  timeoutMs?: number
} & { [Name in OperationTypes[Id]['options']]?: Option[Name] }

/** The answer of an operation, or why there is none. A failure is never thrown. */
export type Result<T> = { ok: true; value: T } | { ok: false; failure: FailureJson; runId?: string }

type Arguments<Id extends OperationId, Options> =
  {} extends Input<Id> ? [input?: Input<Id>, options?: Options] : [input: Input<Id>, options?: Options]

type RunInput = OperationTypes['runStep']['input']
/** A step call with the input type of its step, and the options of the request. */
export type RunCall<I extends AnyIntegration, S extends string> = Omit<
  RunInput,
  'integration' | 'step' | 'input' | 'dryRun'
> & {
  /** A shipped integration, or another one that the server has. */
  integration: I
  step: StepOf<I, S>
  input: InputOf<I, S>
} & Omit<CallOptions<'runStep'>, 'background'>
type RunMeta = Extract<OperationTypes['runStep']['answer'], { meta: unknown }>['meta']
/** The outcome of a run, as `pack.steps.run` of the library gives it; of a failed run, `meta` has the id at most. */
export type RunOutcome<T> =
  | { ok: true; value: T; meta: RunMeta }
  | { ok: false; failure: FailureJson; meta: { runId?: string } }

export type Client = {
  /**
   * Calls an operation of the HTTP API. Reads by GET are repeated twice when the server cannot be reached or is too
   * busy; nothing else is ever sent again.
   */
  call: {
    (
      operation: 'runStep',
      input: RunInput,
      options: CallOptions<'runStep'> & { background: true },
    ): Promise<Result<Answer<'runStep'> | { runId: string }>>
    <Id extends OperationId>(
      operation: Id,
      ...args: Arguments<Id, Omit<CallOptions<Id>, 'background'>>
    ): Promise<Result<Answer<Id>>>
  }
  /** Runs a step and waits for it. */
  run<I extends AnyIntegration, S extends string>(call: RunCall<I, S>): Promise<RunOutcome<OutputOf<I, S>>>
}

export type ClientOptions = {
  /** Address of the server, such as `https://toolyard.example`, with the path that it is mounted at. */
  address: string
  token: string
  /** Replaces the global `fetch`. */
  fetch?: Fetch
}

/** Makes a client. @throws TypeError if the address or the token cannot be used */
export const createClient = (options: ClientOptions): Client => {
  const send = createSender(options)
  const call = async (
    operation: string,
    input: Record<string, unknown> = {},
    callOptions: Record<string, unknown> = {},
  ): Promise<Result<unknown>> => {
    const route = Object.hasOwn(routes, operation) ? routes[operation as OperationId] : undefined
    if (!route)
      return clientFailure(
        'invalid_input',
        `There is no operation "${operation}"; its id is that of GET /openapi.json.`,
      )
    const request = requestOf(route, input, callOptions)
    if ('problem' in request) return clientFailure('invalid_input', `${operation}: ${request.problem}`)
    const response = await send(route, request, callOptions)
    return response instanceof Response
      ? answerOf(route, response, options.address, callOptions['signal'] as AbortSignal | undefined)
      : response
  }
  return {
    call: call as Client['call'],
    async run({ idempotencyKey, startId, signal, timeoutMs, ...input }) {
      const given = Object.entries({ idempotencyKey, startId, signal, timeoutMs })
      const result = await call('runStep', input, Object.fromEntries(given.filter(([, value]) => value !== undefined)))
      if (!result.ok)
        return { ok: false, failure: result.failure, meta: result.runId === undefined ? {} : { runId: result.runId } }
      const { output, meta } = result.value as { output: never; meta: RunMeta }
      return { ok: true, value: output, meta }
    },
  }
}
