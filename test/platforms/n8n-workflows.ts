import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import type { N8n } from './n8n-server.ts'

const require = createRequire(fileURLToPath(new URL('n8n/package.json', import.meta.url)))
const flatted = require('flatted') as { parse(text: string): unknown }

export type Node = {
  name: string
  type: string
  parameters: Record<string, unknown>
  typeVersion?: number
  onError?: 'continueRegularOutput'
  webhookId?: string
  retryOnFail?: boolean
}
type Property = {
  name: string
  type: string
  displayOptions?: { show?: Record<string, unknown[]> }
  options?: Property[]
}
export type NodeType = { name: string; displayName: string; properties: Property[] }

export const credential = { id: 'toolyardCredential', name: 'Toolyard' }

/** A workflow in which every node follows the first one, or `between`, which follows that. */
export const workflow = (id: string, first: Node, followingNodes: Node[], between?: Node) => {
  const to = (nodes: Node[]) => ({ main: [nodes.map(({ name }) => ({ node: name, type: 'main', index: 0 }))] })
  const nodes = [first, ...(between ? [between] : []), ...followingNodes].map((node, index) => ({
    id: `${id}-${index}`,
    typeVersion: 1,
    position: [index === 0 ? 0 : 300, index * 120],
    ...(node.type.startsWith('n8n-nodes-toolyard.') ? { credentials: { toolyardApi: credential } } : {}),
    ...node,
  }))
  return {
    id,
    name: id,
    active: false,
    nodes,
    connections: between
      ? { [first.name]: to([between]), [between.name]: to(followingNodes) }
      : { [first.name]: to(followingNodes) },
    settings: { executionOrder: 'v1', timezone: 'Australia/Sydney' },
  }
}

export const triggerOf = (parameters: Record<string, unknown>, name: string): Node => ({
  name,
  type: 'n8n-nodes-toolyard.workBoardTrigger',
  // Its webhook address is made of it.
  webhookId: `suite-${name.toLowerCase().replaceAll(' ', '-')}`,
  parameters,
})
/** Gives its item as a file in the field `data`. */
export const fileMaker: Node = {
  name: 'File',
  type: 'n8n-nodes-base.convertToFile',
  typeVersion: 1.1,
  parameters: { operation: 'toJson' },
}
export const manualTrigger: Node = { name: 'Start', type: 'n8n-nodes-base.manualTrigger', parameters: {} }

const isShown = ({ displayOptions }: Property, show: Record<string, unknown>) =>
  Object.entries(displayOptions?.show ?? {}).every(([name, values]) => !(name in show) || values.includes(show[name]))

const asParameter = ({ type }: Property, value: unknown): unknown => {
  if (type === 'resourceLocator') return { __rl: true, mode: 'id', value }
  if (type === 'fixedCollection') return { rows: value }
  if (type === 'resourceMapper') return { mappingMode: 'defineBelow', value, schema: [] }
  return type === 'json' && typeof value !== 'string' ? JSON.stringify(value) : value
}

/**
 * An input as a person would fill it into the form that n8n shows. `serverFields`: fields that only this server has;
 * for any other the form must have a place. `version`: of the node.
 */
export const fillIn = (
  type: NodeType,
  show: Record<string, unknown>,
  input: Record<string, unknown>,
  serverFields: string[] = [],
  version = 1,
): Record<string, unknown> => {
  const isThere = (property: Property) => isShown(property, { ...show, '@version': version })
  const shown = type.properties.filter(isThere)
  const more = (shown.find(({ name }) => name === 'more')?.options ?? []).filter(isThere)
  const parameters: Record<string, unknown> = { ...show }
  const folded: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(input)) {
    const [main, other] = [shown, more].map((properties) => properties.find((property) => property.name === name))
    if (main) parameters[name] = asParameter(main, value)
    else if (other) folded[name] = asParameter(other, value)
    else if (serverFields.includes(name))
      folded['otherFields'] = JSON.stringify({
        ...JSON.parse((folded['otherFields'] as string) ?? '{}'),
        [name]: value,
      })
    else throw new Error(`The form of ${JSON.stringify(show)} has no field "${name}".`)
  }
  return { ...parameters, ...(Object.keys(folded).length > 0 ? { more: folded } : {}) }
}

export type Execution = {
  status: string
  mode: string
  resultData: {
    error?: { message: string; description?: string }
    runData: Record<
      string,
      {
        error?: { message: string; description?: string; httpCode?: string }
        data?: { main: { json: any; binary?: any }[][] }
      }[]
    >
  }
}

/** An execution once it has ended. */
export const finished = async (n8n: N8n, id: string): Promise<Execution> => {
  for (;;) {
    const { status, mode, data } = (await n8n.callRest(`/executions/${id}`)) as {
      status: string
      mode: string
      data: string
    }
    if (!['new', 'running', 'waiting', 'unknown'].includes(status))
      return { status, mode, ...(flatted.parse(data) as Pick<Execution, 'resultData'>) }
    await new Promise((done) => setTimeout(done, 100))
  }
}

/** Gives the id of the execution. */
export const startManually = async (n8n: N8n, id: string, from: string): Promise<string> => {
  const body = { triggerToStartFrom: { name: from } }
  const { executionId } = (await n8n.callRest(`/workflows/${id}/run`, { body })) as { executionId: string }
  return executionId
}

export const runManually = async (n8n: N8n, id: string, from: string): Promise<Execution> =>
  finished(n8n, await startManually(n8n, id, from))

/** Executions of a workflow, newest first. */
export const executionsOf = async (
  n8n: N8n,
  workflowId: string,
): Promise<{ id: string; status: string; mode: string }[]> => {
  const filter = encodeURIComponent(JSON.stringify({ workflowId }))
  return (
    (await n8n.callRest(`/executions?filter=${filter}&limit=50`)) as {
      results: { id: string; status: string; mode: string }[]
    }
  ).results
}
