import { z } from '#kit'
import { stepPath } from '../resources/fields.ts'
import { accountForm, fieldsBody, optionPage, optionsBody } from '../resources/form.ts'
import { accepted, dryRunDone, runBody, runDone, runHeaders } from '../resources/run.ts'
import { defineOperations, providerFailures } from '../operation.ts'

export const stepOperations = defineOperations({
  runStep: {
    method: 'POST',
    path: '/v1/steps/{integration}/{step}/run',
    tag: 'Steps',
    summary: 'Run a step, or show the requests it would send',
    description:
      'Runs one step and waits for its output. With `dryRun` nothing is sent; the response contains the exact requests with secrets masked. Send an `Idempotency-Key` to make retries safe, and `Prefer: respond-async` for long runs.',
    input: { params: stepPath, headers: runHeaders, body: runBody },
    output: { description: 'The output; with dryRun, the requests', schema: () => z.union([runDone(), dryRunDone()]) },
    accepted: {
      status: 202,
      description: 'The run continues in the background, as requested by Prefer: respond-async',
      schema: accepted,
    },
    failures: providerFailures,
  },
  loadStepOptions: {
    method: 'POST',
    path: '/v1/steps/{integration}/{step}/options',
    tag: 'Steps',
    summary: 'Load the choices of an input field',
    description:
      'Loads the choices of one input field from the connected account. Pass the fields that are already filled in `values`: the choices may depend on them.',
    input: { params: stepPath, body: optionsBody },
    output: { description: 'Choices; next if there are more', schema: optionPage },
    failures: providerFailures,
  },
  loadStepFields: {
    method: 'POST',
    path: '/v1/steps/{integration}/{step}/fields',
    tag: 'Steps',
    summary: 'Load the fields that the account defines',
    description:
      'Loads fields that the connected account defines, such as custom fields, for a step whose manifest has `accountFields`. Pass what `accountFields.dependsOn` names in `values`. The values go into the input field that `accountFields.field` names, by the id of the field; null empties a field.',
    input: { params: stepPath, body: fieldsBody },
    output: { description: 'Schema and layout of the fields', schema: accountForm },
    failures: providerFailures,
  },
})
