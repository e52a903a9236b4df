import {
  CLIENT_CAPABILITIES_META_KEY,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server'
import type { CallToolResult, ClientCapabilities, Server, ServerContext } from '@modelcontextprotocol/server'
import { describeDefect, isFailure, needsReconnect, z } from '#kit'
import type { Outcome } from '#kit'
import type { Pack } from '../../pack.ts'
import type { Caller, Log } from '../../runtime/ports/index.ts'
import type { StepCall } from '../../runtime/steps/step-call.ts'
import type { Identify } from './about.ts'
import { answerOf } from './answer.ts'
import type { Answering } from './answer.ts'
import { connectLink } from './connect.ts'
import { failureResult } from './failure.ts'
import type { ResultCache } from './result-cache.ts'
import { readTaskId, writeTaskId } from './task-id.ts'
import type { TaskId } from './task-id.ts'
import { readTask, takenBack } from './task-state.ts'
import type { Task, TaskState } from './task-state.ts'
import type { TenantQuota } from './tenant-quota.ts'
import type { StepTool } from './tools.ts'

/** The extension of the 2026 protocol: a call is answered with a task, whose result the client asks for later. */
export const tasksExtension = 'io.modelcontextprotocol/tasks'

/** How many runs may go on as tasks at a time. Further ones are waited for, as without tasks. */
export const maxTasks = { all: 1_000, perTenant: 100 }

/** What ends within this time is answered at once. */
const quickMs = 2_000

export type TaskHandle = CallToolResult & Task & { resultType: 'task'; taskId: string }
export const isTask = (result: object): result is TaskHandle =>
  (result as { resultType?: unknown }).resultType === 'task'

type Answer = Record<string, unknown>

/** How a call is made whose client knows tasks. */
export type TaskRun = {
  /** The outcome, or a task for what takes long. */
  run(call: StepCall): Promise<Outcome | TaskHandle>
  /** A task for what is held; the outcome if it has ended meanwhile. */
  hold(approval: string): Promise<Outcome | TaskHandle>
}
export type Tasks = {
  /** Undefined: the client does not know tasks. `fields`: those of the result that were asked for. */
  for(
    ctx: ServerContext,
    answering: Answering,
    options: { isKeyed: boolean; fields: string | undefined },
  ): TaskRun | undefined
  /** Adds the methods with which clients follow tasks. */
  serve(server: Server, identify: Identify): void
}
type TasksDependencies = {
  pack: Pack
  cache: ResultCache
  log: Log
  /** Of runs that go on as tasks. */
  quota: TenantQuota
  caller: Caller
  /** The tool of a step, if the caller may call it here. */
  toolOf(integration: string, step: string): StepTool | undefined
}

const knowsTasks = ({ mcpReq }: ServerContext): boolean => {
  const envelope = mcpReq.envelope as Record<string, unknown> | undefined
  const capabilities = envelope?.[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined
  return capabilities?.extensions?.[tasksExtension] !== undefined
}

const requireTasks = (ctx: ServerContext): void => {
  if (!knowsTasks(ctx))
    throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { extensions: { [tasksExtension]: {} } } })
}

const unknownTask = () =>
  new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    'There is no such task: it is of another caller, has expired, or never was.',
  )

const handleOf = (taskId: string, { task }: TaskState): TaskHandle => ({
  content: [],
  resultType: 'task',
  taskId,
  ...task,
})

/** Undefined: it goes on. */
const within = async <T>(coming: Promise<T>, ms: number): Promise<T | undefined> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>((resolve) => (timer = setTimeout(resolve, ms, undefined)))
  try {
    return await Promise.race([coming, late])
  } finally {
    clearTimeout(timer)
  }
}

/** Runs in the background while its client waits. Once the client has gone without a task, nobody could end it. */
const runForClient = async (
  { pack, caller, quota }: TasksDependencies,
  call: StepCall,
  signal: AbortSignal,
  asTask: (runId: string) => Promise<Outcome | TaskHandle>,
): Promise<Outcome | TaskHandle> => {
  const leave = quota.acquire(caller.tenant)
  if (!leave) return pack.steps.run(caller, { ...call, signal })
  let isWatched = true
  const onProgress: StepCall['onProgress'] = (done, total) => void (isWatched && call.onProgress?.(done, total))
  const { runId, coming, announce, abort } = beginCounted(pack, caller, { ...call, onProgress }, leave)
  signal.addEventListener('abort', abort, { once: true })
  if (signal.aborted) abort()
  try {
    const outcome = await within(coming, quickMs)
    if (outcome) return outcome
    const isKnown = await announce().then(
      () => true,
      () => false,
    )
    // What other nodes cannot find is waited for.
    return isKnown && !signal.aborted ? await asTask(runId) : await coming
  } finally {
    isWatched = false
    signal.removeEventListener('abort', abort)
  }
}

/** A run that takes a place until it ends, or if it cannot begin. */
const beginCounted = (pack: Pack, caller: Caller, call: StepCall, leave: () => void) => {
  try {
    const run = pack.steps.beginQuietly(caller, call)
    run.coming.then(leave, leave)
    return run
  } catch (thrown) {
    leave()
    throw thrown
  }
}

/** The result of a task that has ended. */
const resultOf = async (
  { pack, cache, caller }: TasksDependencies,
  { request, paging, free, fields }: TaskId,
  { integration }: TaskState,
  tool: StepTool,
  outcome: Outcome,
): Promise<CallToolResult> => {
  if (outcome.ok) {
    const { narrow } = tool.view.read(fields === undefined ? {} : { fields })
    return answerOf(cache, { tool, caller, narrow, paging, free, request: () => request }, outcome)
  }
  const {
    failure,
    meta: { runId, connection },
  } = outcome
  const canLink = needsReconnect(failure) && (failure.connectUrl !== undefined || connection !== undefined)
  const connectUrl = canLink
    ? await connectLink(pack, caller, failure, { integration, connection: connection?.id, person: undefined })
    : undefined
  return failureResult(failure, { runId, connectUrl })
}

/** Ends a task that has not ended. Whatever was sent already may have taken effect. */
const end = async (pack: Pack, caller: Caller, { of }: TaskId, { held }: TaskState): Promise<void> => {
  try {
    if (held === undefined) await pack.runs.cancel(caller, of)
    else await pack.approvals.deny(caller, held, { reason: takenBack })
  } catch (thrown) {
    // It has ended meanwhile, or was approved: the client asked for its end, and learns how it ends.
    if (!isFailure(thrown)) throw thrown
  }
}

export const createTasks = (parts: TasksDependencies): Tasks => {
  const { pack, caller, log, toolOf } = parts

  /** A task as far as it is known without delivering what it came to. */
  const peek = async (taskId: string) => {
    const id = readTaskId(taskId)
    if (!id) throw unknownTask()
    const state = await readTask(pack, caller, id, 'peek')
    const tool = toolOf(state.integration, state.step)
    if (!tool) throw unknownTask()
    return { id, state, tool }
  }

  const answer = async (work: () => Promise<Answer>): Promise<Answer> => {
    try {
      return await work()
    } catch (thrown) {
      if (thrown instanceof ProtocolError) throw thrown
      if (isFailure(thrown)) throw unknownTask()
      log('error', 'mcp.defect', describeDefect(thrown))
      throw new ProtocolError(ProtocolErrorCode.InternalError, 'Something went wrong on this server.')
    }
  }

  return {
    for(ctx, answering, { isKeyed, fields }) {
      if (!knowsTasks(ctx)) return undefined
      const { free, paging } = answering
      const idOf = (of: string) => writeTaskId({ of, isKeyed, free, paging, fields, request: answering.request() })
      // No id is longer than this one.
      if (idOf(`apr_${'0'.repeat(36)}`) === undefined) return undefined
      const asTask = async (of: string): Promise<Outcome | TaskHandle> => {
        const taskId = idOf(of)!
        const state = await readTask(pack, caller, readTaskId(taskId)!, 'deliver')
        return state.outcome ?? handleOf(taskId, state)
      }
      return {
        run: (call) => runForClient(parts, call, ctx.mcpReq.signal, asTask),
        hold: asTask,
      }
    },
    serve(server, identify) {
      const named = z.object({ taskId: z.string() })
      const methods: Record<string, (taskId: string) => Promise<Answer>> = {
        async 'tasks/get'(taskId) {
          const { id, tool } = await peek(taskId)
          const state = await readTask(pack, caller, id, 'deliver')
          const { task, outcome } = state
          const isDone = outcome && task.status === 'completed'
          return { taskId, ...task, ...(isDone ? { result: await resultOf(parts, id, state, tool, outcome) } : {}) }
        },
        // A task never asks its client for anything: questions come before it.
        async 'tasks/update'(taskId) {
          await peek(taskId)
          return {}
        },
        async 'tasks/cancel'(taskId) {
          const { id, state } = await peek(taskId)
          if (state.task.status === 'working') await end(pack, caller, id, state)
          return {}
        },
      }
      for (const [method, work] of Object.entries(methods))
        server.setRequestHandler(method, { params: named }, async ({ taskId }, ctx) => {
          requireTasks(ctx)
          return identify(await answer(() => work(taskId)))
        })
    },
  }
}
