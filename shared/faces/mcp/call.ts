import { isInputRequiredResult } from '@modelcontextprotocol/server'
import type { CallToolResult, InputRequiredResult, Server, ServerContext } from '@modelcontextprotocol/server'
import { describeDefect, fail, isFailure, isHeld, needsReconnect, toFailureJson } from '#kit'
import type { Failure, Outcome } from '#kit'
import { hashRequest, isFreeRun } from '../../pack.ts'
import type { Pack } from '../../pack.ts'
import type { Narrow } from '../../runtime/catalogue/agent-view.ts'
import type { Caller, Log } from '../../runtime/ports/index.ts'
import type { StepCall } from '../../runtime/steps/step-call.ts'
import { answerOf, cachedAnswer } from './answer.ts'
import type { Answering } from './answer.ts'
import { resultBytes, toToolResult } from './tool-result.ts'
import type { ResultShape, ResultRange } from './tool-result.ts'
import { askToConnect, connectLink } from './connect.ts'
import { runDecided } from './decide.ts'
import { failureResult } from './failure.ts'
import type { ResultCache } from './result-cache.ts'
import { isTask } from './tasks.ts'
import type { TaskHandle, TaskRun, Tasks } from './tasks.ts'
import type { StepTool } from './tools.ts'

export type CallParts = {
  pack: Pack
  cache: ResultCache
  log: Log
  /** Monotonic time in ms. */
  now: () => number
  /** Absent in the 2025 protocol. */
  tasks: Tasks | undefined
  /** Whether the client can call the tool of that name. */ hasTool(tool: string): boolean
}
type Arguments = Record<string, unknown>
/** A tool call, with our own arguments separated from those of the step. */
type Call = {
  tool: StepTool
  caller: Caller
  connection: string | undefined
  input: Arguments
  narrow: Narrow
  paging: ResultRange
  isAdjusted: boolean
  /** The fields of the result that are asked for. */
  fields: string | undefined
  meta: Meta
}
/** What a host adds to a call in `_meta`, invisible to the model. */
type Meta = {
  idempotencyKey: string | undefined
  startId: string | undefined
  /** The person whom the call acts for. */
  person: string | undefined
  dryRun: boolean
  maxCredits: number | undefined
  maxAge: number | undefined
  refresh: boolean | undefined
  merge: boolean | undefined
  progressToken: string | number | undefined
}

const invalidArgument = (pointer: string, message: string): Failure =>
  fail('invalid_input', message, { errors: [{ pointer, message }] })

const wholeNumber = (args: Arguments, name: string, min: number, max: number, defaultTo: number): number => {
  const value = args[name] ?? defaultTo
  if (Number.isInteger(value) && Number(value) >= min && Number(value) <= max) return Number(value)
  throw invalidArgument(`/${name}`, `"${name}" must be a whole number from ${min} to ${max}.`)
}

const readPerson = (meta: Record<string, unknown>): string | undefined => {
  const person = meta['toolyard/person']
  if (person === undefined || (typeof person === 'string' && person !== '')) return person
  throw invalidArgument(
    '/_meta/toolyard~1person',
    '_meta "toolyard/person" must be the id that the platform has for a person.',
  )
}

export const readMeta = (meta: Record<string, unknown> = {}): Meta => {
  const readText = (name: string) => {
    const value = meta[`toolyard/${name}`]
    if (value === undefined || (typeof value === 'string' && /^[\x21-\x7e]{1,255}$/.test(value))) return value
    throw invalidArgument(
      `/_meta/toolyard~1${name}`,
      `_meta "toolyard/${name}" must be 1 to 255 visible ASCII characters.`,
    )
  }
  const readAmount = (name: string) => {
    const value = meta[`toolyard/${name}`]
    if (value === undefined || (typeof value === 'number' && value >= 0 && Number.isFinite(value))) return value
    throw invalidArgument(`/_meta/toolyard~1${name}`, `_meta "toolyard/${name}" must be a number that is not negative.`)
  }
  const readFlag = (name: string) => {
    const value = meta[`toolyard/${name}`]
    if (value === undefined || typeof value === 'boolean') return value
    throw invalidArgument(`/_meta/toolyard~1${name}`, `_meta "toolyard/${name}" must be true or false.`)
  }
  return {
    idempotencyKey: readText('idempotencyKey'),
    startId: readText('startId'),
    person: readPerson(meta),
    dryRun: readFlag('dryRun') ?? false,
    maxCredits: readAmount('maxCredits'),
    maxAge: readAmount('maxAge'),
    refresh: readFlag('refresh'),
    merge: readFlag('merge'),
    progressToken: meta.progressToken as Meta['progressToken'],
  }
}

/** Separates our own arguments from those of the step. */
const readCall = (tool: StepTool, caller: Caller, args: Arguments, meta: Record<string, unknown> | undefined): Call => {
  const { connection, ...remainingArguments } = args
  if (connection !== undefined && (typeof connection !== 'string' || connection === ''))
    throw invalidArgument('/connection', '"connection" must be the name or id of a connection.')
  const { maxBytes, from, ...inputArguments } = remainingArguments
  const { isAdjustable } = tool.shape
  const { input, narrow } = tool.view.read(isAdjustable ? inputArguments : remainingArguments)
  return {
    tool,
    caller,
    connection,
    input,
    narrow,
    paging: isAdjustable
      ? {
          maxBytes: wholeNumber({ maxBytes }, 'maxBytes', resultBytes.min, resultBytes.max, resultBytes.default),
          from: wholeNumber({ from }, 'from', 0, Number.MAX_SAFE_INTEGER, 0),
        }
      : { maxBytes: resultBytes.default, from: 0 },
    isAdjusted:
      isAdjustable &&
      (maxBytes !== undefined || from !== undefined || (args.fields !== undefined && input.fields === undefined)),
    fields: typeof args.fields === 'string' ? args.fields : undefined,
    meta: readMeta(meta),
  }
}

/** Reports progress about fifty times at most, so that a long list does not flood the host with notifications. */
const progressOf = (ctx: ServerContext, token: string | number | undefined) => {
  if (token === undefined) return undefined
  let reported = -1
  return (done: number, total?: number) => {
    if (done <= reported || (done !== total && done - reported < Math.ceil((total ?? 0) / 50))) return
    reported = done
    const params = { progressToken: token, progress: done, ...(total === undefined ? {} : { total }) }
    // A host that has disconnected gets no progress; its call is cancelled by other means.
    ctx.mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined)
  }
}

const stepCallOf = ({ hasTool }: CallParts, { tool, connection, input, meta }: Call, ctx: ServerContext): StepCall => ({
  integration: tool.loadedStep.loaded.integration.id,
  step: tool.loadedStep.step.id,
  connection,
  person: meta.person,
  input,
  dryRun: meta.dryRun,
  maxCredits: meta.maxCredits,
  maxAge: meta.maxAge,
  refresh: meta.refresh,
  merge: meta.merge,
  hasTool,
  idempotencyKey: meta.idempotencyKey,
  startId: meta.startId,
  onProgress: progressOf(ctx, meta.progressToken),
})

const run = (
  parts: CallParts,
  call: Call,
  ctx: ServerContext,
  task: TaskRun | undefined,
): Promise<Outcome | TaskHandle> => {
  const stepCall = stepCallOf(parts, call, ctx)
  return task ? task.run(stepCall) : parts.pack.steps.run(call.caller, { ...stepCall, signal: ctx.mcpReq.signal })
}

const answeringOf = ({ tool, caller, connection, input, narrow, paging, meta }: Call, free: boolean): Answering => ({
  tool,
  caller,
  narrow,
  paging,
  free,
  request: () => hashRequest([meta.person ?? null, connection ?? null, input]),
})

const taskOptionsOf = ({ fields, meta }: Call) => ({ isKeyed: meta.idempotencyKey !== undefined, fields })

/** Whoever knows tasks gets one for what waits for a decision. */
const holdAsTask = async (task: TaskRun, outcome: Outcome): Promise<Outcome | TaskHandle> => {
  if (outcome.ok || !isHeld(outcome.failure) || !outcome.failure.approval) return outcome
  try {
    return await task.hold(outcome.failure.approval.id)
  } catch (thrown) {
    // Another token of the person made the call under this key: the failure still says where it waits.
    if (!isFailure(thrown)) throw thrown
    return outcome
  }
}

/** The requests of a dry run are truncated like any other output. */
const dryRunShape = ({ shape }: StepTool): ResultShape => ({
  ...shape,
  schema: { required: ['dryRun'] },
  list: undefined,
  narrowing: [],
})

const perform = async (
  parts: CallParts,
  server: Server,
  call: Call,
  ctx: ServerContext,
): Promise<CallToolResult | InputRequiredResult> => {
  const { tool, caller, connection, input, paging, meta } = call
  const free = await isFreeRun(tool.loadedStep, input)
  const answering = answeringOf(call, free)
  const cached = call.isAdjusted && !meta.dryRun ? cachedAnswer(parts.cache, answering) : undefined
  if (cached) return cached
  if (paging.from > 0 && !free)
    throw invalidArgument(
      '/from',
      'The result that "from" continues is no longer cached, and calling again would do or pay the same again. If that is intended, leave "from" out and set a larger "maxBytes".',
    )
  const task = meta.dryRun ? undefined : parts.tasks?.for(ctx, answering, taskOptionsOf(call))
  const decided = await runDecided(parts, { server, ctx, caller }, () => run(parts, call, ctx, task))
  if (isInputRequiredResult(decided) || isTask(decided)) return decided
  const outcome = task ? await holdAsTask(task, decided) : decided
  if (isTask(outcome)) return outcome
  if (!outcome.ok) {
    const {
      failure,
      meta: { runId, connection: used },
    } = outcome
    if (!needsReconnect(failure)) return failureResult(failure, { runId })
    const url = await connectLink(parts.pack, caller, failure, {
      integration: tool.loadedStep.loaded.integration.id,
      connection: used?.id ?? connection,
      person: meta.person,
    })
    return askToConnect(server, ctx, failure, { url, title: tool.loadedStep.loaded.integration.title, runId })
  }
  if (meta.dryRun)
    return toToolResult({ dryRun: outcome.value }, dryRunShape(tool), paging, {
      run: outcome.meta,
      remainder: 'repeat',
    }).result
  return answerOf(parts.cache, answering, outcome)
}

/**
 * Runs a step for a tool call. A failure is a result with `isError`, so that the model can read it and correct its
 * call.
 */
export const callTool = async (
  parts: CallParts,
  server: Server,
  request: { tool: StepTool; caller: Caller; args: Arguments; meta: Record<string, unknown> | undefined },
  ctx: ServerContext,
) => {
  try {
    return await perform(parts, server, readCall(request.tool, request.caller, request.args, request.meta), ctx)
  } catch (thrown) {
    if (isFailure(thrown)) return failureResult(toFailureJson(thrown))
    parts.log('error', 'mcp.defect', { tool: request.tool.name, ...describeDefect(thrown) })
    return failureResult(toFailureJson(fail('internal', 'Something went wrong on this server.')))
  }
}
