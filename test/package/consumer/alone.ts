// Compiled, not run: a program in a project without types of Node.
import { createPack, toTools } from 'toolyard'
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
