import { manualTrigger } from './n8n-workflows.ts'
import type { Node } from './n8n-workflows.ts'

/** n8n waits in its process for less than 65 seconds; only above does the execution itself wait, in the database. */
export const longWait = 66

/**
 * Makes a card in as many lists of a board as `items` says, each of which needs an approval: what waits goes to a Wait
 * node and comes back. The name of the card differs in every run, as one with a time in it does.
 */
export const approvalWorkflow = (id: string, idBoard: string, items: number, seconds: number) => {
  const pick = (value: string) => ({ __rl: true, mode: 'id', value })
  const board = (name: string, parameters: Record<string, unknown>): Node => ({
    name,
    type: 'n8n-nodes-toolyard.workBoard',
    typeVersion: 2,
    parameters,
  })
  const nodes: Node[] = [
    manualTrigger,
    board('Lists', { resource: 'boardAndList', operation: 'get-lists', idBoard: pick(idBoard) }),
    { name: 'Limit', type: 'n8n-nodes-base.limit', parameters: { maxItems: items } },
    board('Create', {
      resource: 'card',
      operation: 'create-card',
      idList: pick('={{ $json.id }}'),
      name: '={{ "Agreed " + $runIndex + " " + $json.name }}',
      waitForApproval: true,
    }),
    { name: 'Done', type: 'n8n-nodes-base.noOp', parameters: {} },
    { name: 'Wait', type: 'n8n-nodes-base.wait', typeVersion: 1.1, parameters: { amount: seconds, unit: 'seconds' } },
  ]
  const to = (node: string) => [{ node, type: 'main', index: 0 }]
  return {
    id,
    name: id,
    active: false,
    nodes: nodes.map((node, index) => ({
      id: `${id}-${index}`,
      typeVersion: 1,
      position: [index * 200, 0],
      ...(node.type.startsWith('n8n-nodes-toolyard.')
        ? { credentials: { toolyardApi: { id: 'toolyardCredential', name: 'Toolyard' } } }
        : {}),
      ...node,
    })),
    connections: {
      Start: { main: [to('Lists')] },
      Lists: { main: [to('Limit')] },
      Limit: { main: [to('Create')] },
      Create: { main: [to('Done'), to('Wait')] },
      Wait: { main: [to('Create')] },
    },
    settings: { executionOrder: 'v1', timezone: 'Australia/Sydney' },
  }
}
