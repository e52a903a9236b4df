import { stepPath } from '../resources/fields.ts'
import { newStepSample, stepSample } from '../resources/step-sample.ts'
import { defineOperations } from '../operation.ts'

export const sampleOperations = defineOperations({
  getStepSample: {
    method: 'GET',
    path: '/v1/steps/{integration}/{step}/sample',
    tag: 'Steps',
    summary: 'Get the saved sample of a step',
    description:
      'The input and output that were saved for a step. A token that is bound to connections sees samples that were saved with the same binding.',
    input: { params: stepPath },
    output: { description: 'The sample', schema: stepSample },
    failures: ['not_found'],
  },
  saveStepSample: {
    method: 'PUT',
    path: '/v1/steps/{integration}/{step}/sample',
    tag: 'Steps',
    summary: 'Save a sample of a step',
    description:
      'Saves an input and its output for 90 days and replaces the previous sample. Both together can have 256 kB as JSON. Nothing is sent to the provider.',
    input: { params: stepPath, body: newStepSample },
    output: { description: 'The sample as it was saved', schema: stepSample },
    failures: ['not_found'],
  },
  deleteStepSample: {
    method: 'DELETE',
    path: '/v1/steps/{integration}/{step}/sample',
    tag: 'Steps',
    summary: 'Delete the saved sample of a step',
    description: 'Deletes the sample of a step that this token can read.',
    input: { params: stepPath },
    output: { status: 204, description: 'Deleted' },
    failures: ['not_found'],
  },
})
