// Compiled, not run: what a platform in TypeScript writes against the declarations of the installed package.
import Fastify from 'fastify'
import { createPack, failures, isFailure, projectSchema, toTools } from 'toolyard'
import type { AgentTool, Caller, FailureCode, Outcome, Pack, PackOptions, ToolFailure } from 'toolyard'
import toolyard from 'toolyard/fastify'
import { defineStep, path, z } from 'toolyard/kit'
import type { Integration, Step } from 'toolyard/kit'

const caller: Caller = { tenant: 'default' }
const options: PackOptions = {
  credentials: { resolve: async (tenant: string, ref: string) => ({ key: `${tenant}/${ref}` }) },
}

export const use = async (integrations: Integration[]): Promise<void> => {
  const pack: Pack = await createPack({ ...options, integrations })
  const outcome: Outcome = await pack.steps.run(caller, { integration: 'work-board', step: 'get-boards', input: {} })
  if (!outcome.ok) {
    const code: FailureCode = outcome.failure.code
    console.log(failures[code].meaning)
  }
  const tools: AgentTool[] = toTools(pack, { caller, dialect: 'openai-strict', only: ['work-board'] })
  const result: unknown = await tools[0]?.execute({})
  console.log((result as ToolFailure).failure.message, projectSchema({}, 'gemini').schema)
  const app = Fastify()
  await app.register(toolyard, { prefix: '/toolyard', pack })
  // @ts-expect-error a caller always names its tenant
  await pack.steps.run({}, { integration: 'work-board', step: 'get-boards', input: {} })
  await pack.close().catch((error: unknown) => isFailure(error) && console.log(error.code))
}

export const step: Step = defineStep({
  id: 'greet',
  title: 'Greet',
  purpose: 'Greets a person through the provider by name.',
  effect: 'read',
  input: z.strictObject({ name: z.string().meta({ description: 'Name of the person.' }) }),
  output: z.looseObject({ id: z.string() }),
  // @ts-expect-error the handler knows the fields of its input
  run: (ctx, { nom }) => ctx.send({ method: 'GET', path: path`/greetings/${nom as string}` }),
})
