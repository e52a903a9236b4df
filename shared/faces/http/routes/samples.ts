import { fail, z } from '#kit'
import { id } from '../bounds.ts'
import { responses } from '../responses.ts'
import type { Routes } from '../parts.ts'
import { newSample, sample } from '../schemas-samples.ts'

const tags = ['Steps']
const path = '/v1/steps/:integration/:step/sample'
const params = z.object({ integration: id, step: id })

const none = ({ integration, step }: z.infer<typeof params>) =>
  fail('not_found', `No sample of ${integration}/${step} is saved. Save one with PUT /v1/steps/${integration}/${step}/sample.`)

/** The saved sample of a step. */
export const sampleRoutes: Routes = (app, { pack }) => {
  app.get(
    path,
    {
      config: { access: ['run', 'read'] },
      schema: {
        operationId: 'getStepSample',
        tags,
        summary: 'Get the saved sample of a step',
        description:
          'The input and output that were saved for a step. A token that is bound to connections sees samples that were saved with the same binding.',
        params,
        response: responses({ description: 'The sample', schema: sample }, ['not_found']),
      },
    },
    async (request) => {
      const found = await pack.samples.get(request.caller, request.params)
      if (!found) throw none(request.params)
      return found
    },
  )
  app.put(
    path,
    {
      config: { access: ['run'] },
      schema: {
        operationId: 'saveStepSample',
        tags,
        summary: 'Save a sample of a step',
        description:
          'Saves an input and its output for 90 days and replaces the previous sample. Both together can have 256 kB as JSON. Nothing is sent to the provider.',
        params,
        body: newSample,
        response: responses({ description: 'The sample as it was saved', schema: sample }, ['not_found'], { body: true }),
      },
    },
    async ({ caller, params: name, body: { input, output } }) => pack.samples.put(caller, name, { input, output: output ?? null }),
  )
  app.delete(
    path,
    {
      config: { access: ['run'] },
      schema: {
        operationId: 'deleteStepSample',
        tags,
        summary: 'Delete the saved sample of a step',
        description: 'Deletes the sample of a step that this token can read.',
        params,
        response: responses({ status: 204, description: 'Deleted' }, ['not_found']),
      },
    },
    async ({ caller, params: name }, reply) => {
      if (!(await pack.samples.remove(caller, name))) throw none(name)
      return reply.code(204).send(null)
    },
  )
}
