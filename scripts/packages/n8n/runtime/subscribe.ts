import type { IDataObject, IHookFunctions, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow'
import { connect, explain } from './connect'
import { readInput } from './read-input'
import type { TriggerSpecs } from './read-input'
import { isSigned } from './signature'

/** What the node stores between runs. `starts`: keys of the received starts, newest last. */
type Memory = { subscription?: string; secret?: string; starts?: string[] }

/** How many keys of starts to store: repeated deliveries arrive within a day. */
const maxStarts = 1000

const memoryOf = (context: IHookFunctions | IWebhookFunctions) => context.getWorkflowStaticData('node') as Memory

/** Our id for the subscription of this node and mode: test runs have a subscription of their own. */
const externalId = (context: IHookFunctions) =>
  `n8n:${context.getWorkflow().id ?? 'new'}:${context.getNode().id}:${context.getMode()}`

const reject = (context: IHookFunctions) => (error: unknown) => Promise.reject(explain(context, error))

export const hasSubscription = async (context: IHookFunctions): Promise<boolean> => {
  const { subscription } = memoryOf(context)
  if (subscription === undefined) return false
  const client = await connect(context)
  const found = await client.subscriptions.get(subscription).catch(reject(context))
  return found !== null && found.agent.url === context.getNodeWebhookUrl('default')
}

const forget = (memory: Memory) => {
  delete memory.subscription
  delete memory.secret
}

export const removeSubscription = async (context: IHookFunctions): Promise<boolean> => {
  const memory = memoryOf(context)
  const client = await connect(context)
  // If n8n stopped before it stored the subscription's id, the subscription is found by our own id for it.
  const left = await client.subscriptions.find(externalId(context)).catch(reject(context))
  const ids = new Set([
    ...(memory.subscription === undefined ? [] : [memory.subscription]),
    ...left.map(({ id }) => id),
  ])
  for (const id of ids) await client.subscriptions.remove(id).catch(reject(context))
  forget(memory)
  return true
}

export const createSubscription = async (
  context: IHookFunctions,
  integration: string,
  specs: TriggerSpecs,
): Promise<boolean> => {
  await removeSubscription(context)
  const trigger = context.getNodeParameter('event') as string
  const { fields = [], options = [] } = specs[trigger] ?? {}
  const read = (name: string) => context.getNodeParameter(name, null)
  const given = context.getNodeParameter('options', {}) as IDataObject
  const client = await connect(context)
  const created = await client.subscriptions
    .create({
      integration,
      trigger,
      connection: (context.getNodeParameter('connection', '') as string) || undefined,
      config: readInput(fields, read, context.getTimezone()),
      options: readInput(options, (name) => given[name], context.getTimezone()),
      url: context.getNodeWebhookUrl('default') as string,
      externalId: externalId(context),
    })
    .catch(reject(context))
  Object.assign(memoryOf(context), { subscription: created.id, secret: created.agent.secret })
  const isTest = context.getMode() === 'manual' && context.getNodeParameter('testWith', 'sample') === 'sample'
  if (isTest) await client.subscriptions.test(created.id).catch(reject(context))
  return true
}

/**
 * Receives a start from toolyard: refused unless correctly signed; the workflow runs once however often the start is
 * delivered.
 */
export const receiveStart = async (context: IWebhookFunctions): Promise<IWebhookResponseData> => {
  const memory = memoryOf(context)
  const { rawBody } = context.getRequestObject()
  const headers = context.getHeaderData()
  const isOurs =
    memory.secret !== undefined && isSigned({ secret: memory.secret, headers, body: rawBody, now: Date.now() })
  if (!isOurs) {
    context
      .getResponseObject()
      .status(401)
      .json({ message: 'The signature does not match the secret of this subscription.' })
    return { noWebhookResponse: true }
  }
  const { type, data } = context.getBodyData() as { type: string; data: IDataObject }
  if (type === 'agent.test') return { webhookResponse: { message: 'Starts are taken here.' } }
  const key = String(headers['webhook-id'])
  const starts = memory.starts ?? []
  if (starts.includes(key)) return { webhookResponse: { message: 'This start was received before.' } }
  memory.starts = [...starts, key].slice(-maxStarts)
  // Responds here, because n8n stores the node's data only with a response sent before the run: n8n 2.41 loses it with
  // its own response.
  context.getResponseObject().status(200).json({ message: 'The workflow was started.' })
  return { noWebhookResponse: true, workflowData: [context.helpers.returnJsonArray([{ type, ...data }])] }
}
