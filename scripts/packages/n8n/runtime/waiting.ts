import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow'
import type { Client } from './client'
import { ToolyardError } from './failure'

/** Where a call was first made. n8n retries a failed execution as a new one, with the stored data of the first. */
type Place = { execution: string; node: string; runIndex: number | undefined; itemIndex: number }

/** One call of a step. `at` stays, so that every repeat has the same key. `failure`: what its approval ended with. */
export type Call = {
  step: string
  connection: string | undefined
  input: Record<string, unknown>
  at: Place
  failure?: { status: number; problem: ConstructorParameters<typeof ToolyardError>[1] }
}
/** A call that waits, and the id of its approval. */
export type HeldCall = { id: string; call: Call }

/**
 * What the node stores in the execution between its runs: calls whose run waits, by the id of their approval; null: the
 * item has left by "Done".
 */
type Memory = { waiting?: Record<string, Call | null> }

const memoryOf = (context: IExecuteFunctions) => context.getContext('node') as Memory

const remember = (context: IExecuteFunctions, id: string, call: Call | null): void => {
  const memory = memoryOf(context)
  memory.waiting = { ...memory.waiting, [id]: call }
}

export const placeOf = (context: IExecuteFunctions, itemIndex: number): Place => {
  const { $runIndex: runIndex } = context.getWorkflowDataProxy(itemIndex) as { $runIndex?: number }
  return { execution: context.getExecutionId(), node: context.getNode().id, runIndex, itemIndex }
}

export const waitsForApproval = (context: IExecuteFunctions, itemIndex: number): boolean =>
  context.getNodeParameter('waitForApproval', itemIndex, false) === true

/** The second output appears with the option. The order stays, so that what is connected stays connected. */
export const outputs =
  '={{ $parameter["waitForApproval"] ? [{ type: "main", displayName: "Done" }, { type: "main", displayName: "Waiting" }] : ["main"] }}'

/**
 * The call of an item that comes back from the output "Waiting", and the approval that it waits for. The item's id only
 * finds the call: an item made by somebody else must not choose what is sent.
 *
 * When n8n repeats a run of the node that failed, its items are found by their place: they never left by "Waiting".
 *
 * @throws ToolyardError when the item has already left by "Done"
 */
export const heldCall = (
  context: IExecuteFunctions,
  { json }: INodeExecutionData,
  itemIndex: number,
): HeldCall | undefined => {
  const { waiting = {} } = memoryOf(context)
  const { id } = (json['approval'] ?? {}) as { id?: unknown }
  if (typeof id === 'string' && Object.hasOwn(waiting, id)) {
    const call = waiting[id]
    if (call) return { id, call }
    throw new ToolyardError(409, {
      code: 'conflict',
      detail: `The item of the approval ${id} has left this node by "Done" already. Give each item from "Waiting" back to the node once.`,
    })
  }
  const { runIndex } = placeOf(context, itemIndex)
  if (runIndex === undefined) return undefined
  for (const [held, call] of Object.entries(waiting))
    if (call?.at.runIndex === runIndex && call.at.itemIndex === itemIndex) return { id: held, call }
  return undefined
}

/**
 * Makes sure that the server still knows the call, so that a repeat learns its outcome and is not a new call.
 *
 * @throws ToolyardError that it failed before, expired, was denied, or that its outcome is not stored any more
 */
export const requireKnown = async (client: Client, { id, call }: HeldCall): Promise<void> => {
  if (call.failure) throw new ToolyardError(call.failure.status, call.failure.problem)
  const approval = await client.approvals.get(id)
  const title = approval?.title ?? `The run of the approval ${id}`
  if (approval?.state === 'expired')
    throw new ToolyardError(410, {
      code: approval.code ?? 'approval_expired',
      detail: `${title} was not sent. ${approval.reason ?? 'Nobody approved it in time, or it may not be sent any more.'} Start the workflow again if it is still wanted.`,
    })
  if (approval && !approval.erased) return
  throw approval?.state === 'denied'
    ? new ToolyardError(403, {
        code: 'approval_denied',
        detail: `${title} was denied; nothing was sent. The reason is not stored any more.`,
      })
    : new ToolyardError(409, {
        code: 'conflict',
        detail: `The server does not know any more what became of the approval ${id}. Look at the provider before you start the workflow again.`,
      })
}

/**
 * Keeps the failure that the approval of a call ended with, so that every later try has it too: the server takes a repeat
 * for a new call where nothing was sent, so "Retry On Fail" would ask again.
 */
export const keepFailure = async (
  context: IExecuteFunctions,
  client: Client,
  { id, call }: HeldCall,
  error: unknown,
): Promise<void> => {
  if (!(error instanceof ToolyardError) || error.code === 'approval_pending' || call.failure) return
  const { status, code, sentence, remedy, runId, providerMessage, errors } = error
  const approval = await client.approvals.get(id).catch(() => null)
  if (approval?.code !== code) return
  const problem = { code, detail: `${sentence} ${remedy}`, runId, providerMessage, errors }
  remember(context, id, { ...call, failure: { status, problem } })
}

/** The item for the output "Waiting"; undefined: the error is another one. */
export const waitingItem = (
  context: IExecuteFunctions,
  { json, binary }: INodeExecutionData,
  call: Call,
  error: unknown,
): INodeExecutionData | undefined => {
  if (!(error instanceof ToolyardError) || error.code !== 'approval_pending' || error.approval === undefined)
    return undefined
  const { id, url, expiresAt } = error.approval
  remember(context, id, call)
  return {
    json: { ...json, approval: { id, ...(url === undefined ? {} : { url }), expiresAt } },
    ...(binary === undefined ? {} : { binary }),
  }
}

/**
 * Forgets the calls of items that leave by "Done". Only when nothing can fail any more: n8n may repeat a run that
 * failed, with all of its items.
 */
export const forgetCalls = (context: IExecuteFunctions, ids: string[]): void => {
  for (const id of ids) remember(context, id, null)
}
