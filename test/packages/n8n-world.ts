/** The runtime of the n8n nodes against a pack in this process. n8n itself is a stand-in for what the runtime uses of it. */
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { createMemoryStore } from '../../shared/store/memory-store.ts'
import { openApprovalWorld } from '../approvals/world.ts'
import { ages } from '../files/world.ts'
import { serveWorld } from '../support/http-world.ts'

type Item = { json: Record<string, any>; pairedItem?: unknown }
type RunSteps = (context: object, integration: string, specs: object) => Promise<Item[][]>

const n8nStub = `
class NodeError extends Error {
  context = {}
  constructor(node, error, { message = error.message ?? error, description = error.description } = {}) {
    super(message)
    this.description = description
  }
}
export class NodeApiError extends NodeError {}
export class NodeOperationError extends NodeError {}
`

/** The runtime as one module: in a package, its files and those of the client are in one folder. */
const loadRuntime = async (): Promise<{ runSteps: RunSteps }> => {
  const client = fileURLToPath(new URL('../../scripts/packages/client/', import.meta.url))
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('../../scripts/packages/n8n/runtime/run-steps.ts', import.meta.url))],
    bundle: true,
    platform: 'node',
    format: 'esm',
    write: false,
    plugins: [
      {
        name: 'package',
        setup({ onResolve, onLoad }) {
          onResolve({ filter: /^n8n-workflow$/ }, () => ({ path: 'n8n-workflow', namespace: 'stub' }))
          onLoad({ filter: /./, namespace: 'stub' }, () => ({ contents: n8nStub }))
          onResolve({ filter: /^\.\/(client|failure)$/ }, ({ path }) => ({ path: `${client}${path.slice(2)}.ts` }))
        },
      },
    ],
  })
  const code = Buffer.from(outputFiles[0]!.contents).toString('base64')
  return (await import(`data:text/javascript;base64,${code}`)) as { runSteps: RunSteps }
}

const specs = {
  'create-card': {
    effect: 'create',
    fields: [
      { name: 'idList', control: 'text' },
      { name: 'name', control: 'text' },
      { name: 'file', control: 'file' },
    ],
  },
}

/** What n8n keeps of an execution, also when it retries it as another one. */
type Kept = { execution?: string; context?: object; runIndex?: number }

/** A node that makes cards, whose parameters are the fields of its items. */
export const openN8nWorld = async () => {
  const { runSteps } = await loadRuntime()
  const store = createMemoryStore()
  const approvals = await openApprovalWorld({ store })
  const world = await serveWorld(approvals)
  const send = async (_: string, { method, url, headers, body }: any) => {
    const authorization = `Bearer ${world.token}`
    const reply = await world.http.inject({ method, url, headers: { ...headers, authorization }, payload: body })
    return { statusCode: reply.statusCode, headers: reply.headers, body: reply.rawPayload }
  }
  return {
    ...world,
    /** Removes what is stored of approvals that have ended, as retention does a day later. */
    async forget() {
      const now = approvals.clock.now()
      await store.prune({ now, ...ages, approvals: now + 1 })
    },
    /** One run of the node. Absent parameters of a field are the values of the item. */
    runNode(items: Item[], { execution = '1', context = {}, runIndex = 0 }: Kept, parameters: object = {}) {
      const values: Record<string, unknown> = { operation: 'create-card', waitForApproval: true, ...parameters }
      return runSteps(
        {
          getCredentials: async () => ({ url: 'http://toolyard.test' }),
          helpers: {
            httpRequestWithAuthentication: send,
            assertBinaryData: () => ({ fileName: 'sizes.txt', mimeType: 'text/plain' }),
            getBinaryDataBuffer: async () => Buffer.from('A3, A4'),
          },
          getNode: () => ({ id: 'node-1', name: 'Create', typeVersion: 2 }),
          getNodeParameter: (name: string, index: number, absent: unknown) =>
            values[name] ?? items[index]!.json[name] ?? absent,
          getExecutionId: () => execution,
          getWorkflowDataProxy: () => ({ $runIndex: runIndex }),
          getContext: () => context,
          getInputData: () => items,
          getTimezone: () => 'UTC',
          continueOnFail: () => false,
        },
        'work-board',
        specs,
      )
    },
  }
}
