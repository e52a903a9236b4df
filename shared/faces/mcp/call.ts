import type { CallToolResult, InputRequiredResult, Server, ServerContext } from '@modelcontextprotocol/server'
import { describeDefect, fail, isFailure, toFailureJson } from '#kit'
import type { Failure, Outcome } from '#kit'
import { costOf, effectOf, hashRequest } from '../../pack.ts'
import type { Pack } from '../../pack.ts'
import type { Caller, Log } from '../../runtime/ports/index.ts'
import { answerBytes, makeAnswer } from './answer.ts'
import type { AnswerShape, Asked } from './answer.ts'
import { askToConnect, connectLink } from './connect.ts'
import { failureResult } from './failure.ts'
import { bytesOf } from './truncate.ts'
import type { Kept } from './kept.ts'
import type { StepTool } from './tools.ts'

export type CallParts = { pack: Pack; kept: Kept; log: Log }
type Arguments = Record<string, unknown>
/** A tool call as the runtime and the answer need it. */
type Call = { tool: StepTool; caller: Caller; connection: string | undefined; input: Arguments; asked: Asked; isAdjusted: boolean; meta: Meta }
/** What a host adds to a call, out of sight of the model. */
type Meta = { idempotencyKey: string | undefined; startId: string | undefined; dryRun: boolean; progressToken: string | number | undefined }

const wrong = (pointer: string, message: string): Failure => fail('invalid_input', message, { errors: [{ pointer, message }] })

const whole = (args: Arguments, name: string, least: number, most: number, otherwise: number): number => {
  const value = args[name] ?? otherwise
  if (Number.isInteger(value) && Number(value) >= least && Number(value) <= most) return Number(value)
  throw wrong(`/${name}`, `"${name}" has to be a whole number from ${least} to ${most}.`)
}

const readMeta = (given: Record<string, unknown> = {}): Meta => {
  const named = (name: string) => {
    const value = given[`toolyard/${name}`]
    if (value === undefined || (typeof value === 'string' && /^[\x21-\x7e]{1,255}$/.test(value))) return value
    throw wrong(`/_meta/toolyard~1${name}`, `_meta "toolyard/${name}" has to be 1 to 255 visible ASCII characters.`)
  }
  const dryRun = given['toolyard/dryRun'] ?? false
  if (typeof dryRun !== 'boolean') throw wrong('/_meta/toolyard~1dryRun', '_meta "toolyard/dryRun" has to be true or false.')
  return { idempotencyKey: named('idempotencyKey'), startId: named('startId'), dryRun, progressToken: given.progressToken as Meta['progressToken'] }
}

/** Parts the arguments that are ours from those of the step. */
const readCall = (tool: StepTool, caller: Caller, args: Arguments, meta: Record<string, unknown> | undefined): Call => {
  const { connection, ...rest } = args
  if (connection !== undefined && (typeof connection !== 'string' || connection === ''))
    throw wrong('/connection', '"connection" has to be the name or id of an account.')
  const { maxBytes, from, ...input } = rest
  const { isAdjustable } = tool.shape
  return {
    tool,
    caller,
    connection,
    input: isAdjustable ? input : rest,
    asked: isAdjustable
      ? {
          maxBytes: whole({ maxBytes }, 'maxBytes', answerBytes.least, answerBytes.most, answerBytes.usual),
          from: whole({ from }, 'from', 0, Number.MAX_SAFE_INTEGER, 0),
        }
      : { maxBytes: answerBytes.usual, from: 0 },
    isAdjusted: isAdjustable && (maxBytes !== undefined || from !== undefined),
    meta: readMeta(meta),
  }
}

/** Whether repeating the call changes or costs nothing. */
const isFree = ({ tool: { found }, input }: Call) => effectOf(found.step, input) === 'read' && costOf(found.step, input) === undefined

/** Told at most some fifty times, so that a long list does not drown the host in notifications. */
const progressOf = (ctx: ServerContext, token: string | number | undefined) => {
  if (token === undefined) return undefined
  let told = -1
  return (done: number, total?: number) => {
    if (done <= told || (done !== total && done - told < Math.ceil((total ?? 0) / 50))) return
    told = done
    const params = { progressToken: token, progress: done, ...(total === undefined ? {} : { total }) }
    // A host that is gone gets no progress; its call is cancelled by other means.
    ctx.mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined)
  }
}

const run = ({ pack }: CallParts, { tool, caller, connection, input, meta }: Call, ctx: ServerContext): Promise<Outcome> =>
  pack.steps.run(caller, {
    integration: tool.found.loaded.integration.id,
    step: tool.found.step.id,
    connection,
    input,
    dryRun: meta.dryRun,
    idempotencyKey: meta.idempotencyKey,
    startId: meta.startId,
    signal: ctx.mcpReq.signal,
    onProgress: progressOf(ctx, meta.progressToken),
  })

/** The requests of a dry run are no longer than another answer. */
const dryRunShape = ({ shape }: StepTool): AnswerShape => ({ ...shape, schema: { required: ['dryRun'] }, list: undefined, narrowing: [] })

const perform = async (parts: CallParts, server: Server, call: Call, ctx: ServerContext): Promise<CallToolResult | InputRequiredResult> => {
  const { tool, caller, connection, input, asked, meta } = call
  const free = isFree(call)
  // An account of ours never answers for another: the caller is part of the key.
  const key = () => hashRequest([caller.tenant, caller.token ?? null, caller.connections ?? null, tool.name, connection ?? null, input])
  const before = call.isAdjusted && !free && !meta.dryRun ? parts.kept.get(key()) : undefined
  if (before) return makeAnswer(before.output, tool.shape, asked, { run: { ...before.run, cached: true }, rest: 'kept' }).result
  if (asked.from > 0 && !free)
    throw wrong(
      '/from',
      'The answer that "from" would continue is no longer kept, and calling again would do or pay the same again. Leave "from" out if that is wanted, and give a larger "maxBytes".',
    )
  const outcome = await run(parts, call, ctx)
  if (!outcome.ok) {
    const {
      failure,
      meta: { runId, connection: used },
    } = outcome
    if (failure.code !== 'not_connected') return failureResult(failure, { runId })
    const url = await connectLink(parts.pack, caller, failure, { integration: tool.found.loaded.integration.id, connection: used?.id ?? connection })
    return askToConnect(server, ctx, failure, { url, title: tool.found.loaded.integration.title, runId })
  }
  if (meta.dryRun) return makeAnswer({ dryRun: outcome.value }, dryRunShape(tool), asked, { run: outcome.meta, rest: 'again' }).result
  const { result, cut } = makeAnswer(outcome.value, tool.shape, asked, { run: outcome.meta, rest: free ? 'again' : 'kept' })
  if (cut && !free) parts.kept.keep(caller.tenant, key(), { output: outcome.value, run: outcome.meta }, bytesOf(outcome.value))
  return result
}

/** Runs a step for a tool call. A failure is a result with `isError`, so that the model can read it and do better. */
export const callTool = async (
  parts: CallParts,
  server: Server,
  asked: { tool: StepTool; caller: Caller; args: Arguments; meta: Record<string, unknown> | undefined },
  ctx: ServerContext,
) => {
  try {
    return await perform(parts, server, readCall(asked.tool, asked.caller, asked.args, asked.meta), ctx)
  } catch (thrown) {
    if (isFailure(thrown)) return failureResult(toFailureJson(thrown))
    parts.log('error', 'mcp.defect', { tool: asked.tool.name, ...describeDefect(thrown) })
    return failureResult(toFailureJson(fail('internal', 'Something went wrong on our side.')))
  }
}
