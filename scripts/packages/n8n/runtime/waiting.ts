import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow'
import { ToolyardError } from './failure'

/**
 * One call of a step. `at`: where it was first made, so that every repeat has the same key, also in the new execution
 * with which n8n retries one that failed.
 */
export type Call = {
  step: string
  connection: string | undefined
  input: Record<string, unknown>
  at: { execution: string; node: string; runIndex: number | undefined; itemIndex: number }
}

/** What the node stores in the execution between its runs: calls whose run waits, by the id of their approval. */
type Memory = { waiting?: Record<string, Call> }

const memoryOf = (context: IExecuteFunctions) => context.getContext('node') as Memory

export const waitsForApproval = (context: IExecuteFunctions, itemIndex: number): boolean =>
  context.getNodeParameter('waitForApproval', itemIndex, false) === true

/** The second output appears with the option. The order stays, so that what is connected stays connected. */
export const outputs =
  '={{ $parameter["waitForApproval"] ? [{ type: "main", displayName: "Done" }, { type: "main", displayName: "Waiting" }] : ["main"] }}'

/**
 * The call of an item that comes back from the output "Waiting". Its id only finds the call: an item made by somebody
 * else must not choose what is sent.
 */
export const waitingCall = (context: IExecuteFunctions, { json }: INodeExecutionData): Call | undefined => {
  const { id } = (json['approval'] ?? {}) as { id?: unknown }
  const { waiting = {} } = memoryOf(context)
  return typeof id === 'string' && Object.hasOwn(waiting, id) ? waiting[id] : undefined
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
  const memory = memoryOf(context)
  memory.waiting = { ...memory.waiting, [id]: call }
  return {
    json: { ...json, approval: { id, ...(url === undefined ? {} : { url }), expiresAt } },
    ...(binary === undefined ? {} : { binary }),
  }
}
