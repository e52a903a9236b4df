import { createHash } from 'node:crypto'
import { NodeOperationError } from 'n8n-workflow'
import type { IBinaryKeyData, IDataObject, IExecuteFunctions, INodeExecutionData, JsonObject } from 'n8n-workflow'
import type { Client } from './client'
import { connect, explain } from './connect'
import { readInput } from './read-input'
import type { FieldSpec, RecordSpec, StepSpecs } from './read-input'
import { readPages, simplify } from './records'
import { forgetCalls, heldCall, keepFailure, placeOf, requireKnown, waitingItem, waitsForApproval } from './waiting'
import type { Call, HeldCall } from './waiting'

/**
 * The idempotency key: the same for every attempt at one item in one run of the node, so that "Retry On Fail" sends a
 * write only once.
 */
const keyOf = ({ execution, node, runIndex, itemIndex }: Call['at'], what: unknown): string => {
  const parts = [execution, node, runIndex, itemIndex, what]
  return `n8n-${createHash('sha256').update(JSON.stringify(parts)).digest('hex')}`
}

/**
 * Uploads the item's binary data as files of the server. A repeat gets the same file, since the key of a write has the
 * file's id in it.
 */
const uploadFiles = async (
  context: IExecuteFunctions,
  client: Client,
  fields: FieldSpec[],
  input: Record<string, unknown>,
  at: Call['at'],
  itemIndex: number,
) => {
  for (const { name } of fields.filter(({ control }) => control === 'file')) {
    if (input[name] === undefined) continue
    const property = String(input[name])
    const { fileName = property, mimeType } = context.helpers.assertBinaryData(itemIndex, property)
    const bytes = await context.helpers.getBinaryDataBuffer(itemIndex, property)
    const content = createHash('sha256').update(bytes).digest('hex')
    const idempotencyKey = keyOf(at, ['file', name, fileName, content])
    const { id } = await client.files.upload({ bytes, name: fileName, type: mimeType, idempotencyKey })
    input[name] = { file: id }
  }
}

/** Downloads the output's files into the item's binary data, under the name of their field. */
const downloadFiles = async (
  context: IExecuteFunctions,
  client: Client,
  output: IDataObject,
): Promise<IBinaryKeyData> => {
  const binary: IBinaryKeyData = {}
  for (const [name, value] of Object.entries(output)) {
    const { file } = (typeof value === 'object' && value !== null ? value : {}) as { file?: unknown }
    if (typeof file !== 'string') continue
    const { bytes, name: fileName, type } = await client.files.download(file)
    binary[name] = await context.helpers.prepareBinaryData(Buffer.from(bytes), fileName, type)
  }
  return binary
}

/** Whether the node is of version 2: it gives an item for each record, where version 1 gives the output as it is. */
const givesRecords = (context: IExecuteFunctions) => (context.getNode().typeVersion ?? 1) >= 2

const titlesOf = (fields: FieldSpec[]): Record<string, string> =>
  Object.fromEntries(fields.map(({ name, title = name }) => [name, title]))

const specOf = (context: IExecuteFunctions, specs: StepSpecs, step: string, itemIndex: number) => {
  const spec = specs[step]
  if (!spec)
    throw new NodeOperationError(context.getNode(), `There is no operation "${step}". Choose one from the list.`, {
      itemIndex,
    })
  return spec
}

type Run = (input: Record<string, unknown>) => Promise<IDataObject>

/** The output of version 2 as records, each simplified unless the user wants everything. */
const recordsOf = async (
  context: IExecuteFunctions,
  { list, page, simple }: RecordSpec,
  run: Run,
  input: Record<string, unknown>,
  itemIndex: number,
): Promise<IDataObject[]> => {
  const read = async () => {
    if (list === undefined) return [await run(input)]
    if (page === undefined) return ((await run(input))[list] ?? []) as IDataObject[]
    const isAll = context.getNodeParameter('returnAll', itemIndex, false) as boolean
    const limit = isAll ? undefined : (context.getNodeParameter('limit', itemIndex, 50) as number)
    return await readPages<IDataObject>(run, input, { list, page }, limit)
  }
  const records = await read()
  // Whoever chose fields gets those.
  const isSimple = simple !== undefined && input['fields'] === undefined
  return isSimple && context.getNodeParameter('simple', itemIndex, true)
    ? records.map((record) => simplify(record, simple))
    : records
}

/** The call that the parameters describe, with the item's files uploaded. */
const readCall = async (
  context: IExecuteFunctions,
  client: Client,
  specs: StepSpecs,
  itemIndex: number,
): Promise<Call> => {
  const step = context.getNodeParameter('operation', itemIndex) as string
  const { fields } = specOf(context, specs, step, itemIndex)
  const input = readInput(
    fields,
    // A field that the form does not show is not there, which n8n refuses without a default.
    (name) => context.getNodeParameter(name, itemIndex, null),
    context.getTimezone(),
  )
  const at = placeOf(context, itemIndex)
  await uploadFiles(context, client, fields, input, at, itemIndex)
  const connection = (context.getNodeParameter('connection', itemIndex, '') as string) || undefined
  return { step, connection, input, at }
}

const runCall = async (
  context: IExecuteFunctions,
  client: Client,
  integration: string,
  specs: StepSpecs,
  { step, connection, input, at }: Call,
  itemIndex: number,
): Promise<INodeExecutionData[]> => {
  const spec = specOf(context, specs, step, itemIndex)
  const isRead = spec.effect === 'read' || input['method'] === 'GET'
  // Of several equal reads that wait, each has an outcome of its own.
  const isKeyed = !isRead || waitsForApproval(context, itemIndex)
  const run: Run = async (values) => {
    const key = isKeyed ? { idempotencyKey: keyOf(at, [step, connection, values]) } : {}
    return (await client.run(integration, step, { input: values, connection, ...key })).output as IDataObject
  }
  const outputs = givesRecords(context) ? await recordsOf(context, spec, run, input, itemIndex) : [await run(input)]
  const items: INodeExecutionData[] = []
  for (const json of outputs) {
    const binary = await downloadFiles(context, client, json)
    items.push({ json, pairedItem: { item: itemIndex }, ...(Object.keys(binary).length > 0 ? { binary } : {}) })
  }
  return items
}

/** The failed item of a node that goes on after failures. @throws NodeOperationError when it does not */
const failedItem = (
  context: IExecuteFunctions,
  error: unknown,
  specs: StepSpecs,
  itemIndex: number,
): INodeExecutionData => {
  const step = context.getNodeParameter('operation', itemIndex) as string
  const titles = givesRecords(context) ? titlesOf(specs[step]?.fields ?? []) : {}
  const explained = explain(context, error, itemIndex, titles)
  if (!context.continueOnFail()) throw new NodeOperationError(context.getNode(), explained, { itemIndex })
  const details = (explained.context['data'] ?? { sentence: explained.message }) as JsonObject
  const more = givesRecords(context) ? { description: explained.description } : {}
  return {
    json: { error: explained.message, ...more, ...details } as IDataObject,
    pairedItem: { item: itemIndex },
  }
}

/**
 * Runs the chosen step once for each item. With "Wait for Approval", items whose run waits leave by the second output,
 * and are asked about again when they come back.
 */
export const runSteps = async (
  context: IExecuteFunctions,
  integration: string,
  specs: StepSpecs,
): Promise<INodeExecutionData[][]> => {
  const client = await connect(context)
  const results: INodeExecutionData[] = []
  const waiting: INodeExecutionData[] = []
  const answered: string[] = []
  for (const [itemIndex, item] of context.getInputData().entries()) {
    const waits = waitsForApproval(context, itemIndex)
    let call: Call | undefined
    let held: HeldCall | undefined
    try {
      held = waits ? heldCall(context, item, itemIndex) : undefined
      if (held) await requireKnown(client, held)
      call = held?.call ?? (await readCall(context, client, specs, itemIndex))
      results.push(...(await runCall(context, client, integration, specs, call, itemIndex)))
      if (held) answered.push(held.id)
    } catch (error) {
      if (held) await keepFailure(context, client, held, error)
      const waitingAgain = waits && call ? waitingItem(context, item, call, error) : undefined
      if (waitingAgain) waiting.push({ ...waitingAgain, pairedItem: { item: itemIndex } })
      else results.push(failedItem(context, error, specs, itemIndex))
    }
  }
  if (!waitsForApproval(context, 0)) return [results]
  forgetCalls(context, answered)
  return [results, waiting]
}
