import { fail } from '#kit'
import type { sampleOperations } from '../../../api/operations/samples.ts'
import type { Handlers } from '../operations.ts'
import type { HttpDependencies } from '../parts.ts'

const noSample = ({ integration, step }: { integration: string; step: string }) =>
  fail(
    'not_found',
    `No sample of ${integration}/${step} is saved. Save one with PUT /v1/steps/${integration}/${step}/sample.`,
  )

export const sampleHandlers = ({ pack }: HttpDependencies): Handlers<typeof sampleOperations> => ({
  getStepSample: async (request) => {
    const sample = await pack.samples.get(request.caller, request.params)
    if (!sample) throw noSample(request.params)
    return sample
  },
  saveStepSample: async ({ caller, params: name, body: { input, output } }) =>
    pack.samples.put(caller, name, { input, output: output ?? null }),
  deleteStepSample: async ({ caller, params: name }, reply) => {
    if (!(await pack.samples.remove(caller, name))) throw noSample(name)
    return reply.code(204).send(null)
  },
})
