import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { ExampleFile, Integration } from '../../shared/kit/index.ts'
import { createPack } from '../../shared/pack.ts'

/** An example of Find Endpoints, from what it finds in the integration in the folder. */
export const findExample = async (folder: string): Promise<string> => {
  const { default: integration } = (await import(pathToFileURL(join(folder, 'manifest.ts')).href)) as {
    default: Integration
  }
  const [first] = (await integration.operations?.()) ?? []
  const input = { query: first?.title ?? 'account', limit: 1 }
  const pack = await createPack({ integrations: [integration] })
  try {
    const outcome = await pack.steps.run(
      { tenant: 'default' },
      { integration: integration.id, step: 'find-endpoints', input },
    )
    if (!outcome.ok) throw new Error(outcome.failure.message)
    const example: ExampleFile = {
      step: 'find-endpoints',
      cases: [{ title: 'Finds an endpoint by its title', input, exchanges: [], output: outcome.value }],
    }
    return `${JSON.stringify(example, null, 2)}\n`
  } finally {
    await pack.close()
  }
}
