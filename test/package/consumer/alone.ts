// Compiled, not run: a program in a project without types of Node.
import { createPack, toTools } from 'toolyard'
import { createClient } from 'toolyard/client'
import { connect } from 'toolyard/connect'
import toolyard from 'toolyard/fastify'
import { defineStep, path, z } from 'toolyard/kit'

export const use = async (host: Parameters<typeof toolyard>[0]): Promise<void> => {
  const pack = await createPack()
  const input = { idList: '695b70ac000000000000000f', name: 'Call the printer' }
  await pack.steps.run({ tenant: 'default' }, { integration: 'work-board', step: 'create-card', input })
  const tools = toTools(pack, { caller: { tenant: 'default' } })
  // @ts-expect-error a tool has no such field: it is not `any`
  void tools[0]?.nom
  await toolyard(host, { pack })
  const client = createClient({ address: 'https://toolyard.example', token: 'a' })
  const file = await client.call('downloadFile', { id: 'a' })
  if (file.ok) void (await file.value.text()).length
  // @ts-expect-error the answer of this operation is a file
  if (file.ok) void file.value.items
  const link = await client.call('authorizeConnection', { integration: 'work-board', person: 'person-3' })
  const outcome = link.ok ? await connect(link.value.url, { width: 500 }) : undefined
  // @ts-expect-error only an account that is connected has a connection
  void outcome?.connection
}

export const step = defineStep({
  id: 'greet',
  title: 'Greet',
  purpose: 'Greets a person through the provider by name.',
  effect: 'read',
  input: z.strictObject({ name: z.string().meta({ description: 'Name of the person.' }) }),
  output: z.looseObject({ id: z.string() }),
  run: (ctx, { name }) => {
    // What the declarations know of a signal without any library of the host.
    ctx.signal.throwIfAborted()
    return ctx.send({ method: 'GET', path: path`/greetings/${name}` })
  },
})
