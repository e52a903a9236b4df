import { outputJsonSchema } from '#kit'
import type { JsonSchema } from '#kit'
import { describeTool, toolInput } from '../../pack.ts'
import type { LoadedStep, Registry } from '../../runtime/catalogue/registry.ts'

type Operation = {
  operationId?: string
  parameters?: { in: string }[]
  requestBody?: { content: Record<string, { schema: JsonSchema }> }
  responses?: Record<string, object>
}
type Document = {
  paths?: Record<string, { post?: Operation }>
  tags?: { name: string }[]
  components?: { schemas?: Record<string, JsonSchema>; responses?: Record<string, object> }
}

const generic = '/v1/steps/{integration}/{step}/run'
const json = (schema: JsonSchema) => ({ 'application/json': { schema } })
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })

/** The body of the generic route, with the input of this step in it. */
const bodyOf = (loadedStep: LoadedStep, body: JsonSchema): JsonSchema => {
  const { description: _, ...input } = toolInput(loadedStep)
  const isNeeded = Array.isArray(input.required) || 'x-key-sets' in input
  return {
    ...body,
    properties: { ...(body.properties as object), input },
    ...(isNeeded ? { required: ['input'] } : {}),
  }
}

const successOf = ({ step }: LoadedStep, meta: JsonSchema): JsonSchema => ({
  anyOf: [
    { type: 'object', properties: { output: outputJsonSchema(step.output), meta }, required: ['output', 'meta'] },
    ref('DryRunDone'),
  ],
})

const operationOf = (loadedStep: LoadedStep, runStep: Operation, schemas: Record<string, JsonSchema>) => {
  const { step, loaded, tool } = loadedStep
  const failures = Object.keys(runStep.responses ?? {}).filter((status) => Number(status) >= 400)
  const meta = (schemas.RunDone!.properties as Record<string, JsonSchema>).meta!
  return {
    ...runStep,
    operationId: tool,
    tags: [loaded.integration.title],
    summary: step.title,
    description: describeTool(loadedStep, toolInput(loadedStep)),
    ...(step.legacy || step.deprecated ? { deprecated: true } : {}),
    parameters: (runStep.parameters ?? []).filter((parameter) => parameter.in !== 'path'),
    requestBody: {
      required: true,
      content: json(bodyOf(loadedStep, runStep.requestBody!.content['application/json']!.schema)),
    },
    responses: {
      200: { description: 'The output; with dryRun, the requests', content: json(successOf(loadedStep, meta)) },
      202: runStep.responses!['202']!,
      ...Object.fromEntries(failures.map((status) => [status, { $ref: `#/components/responses/StepFailed${status}` }])),
    },
  }
}

/**
 * Adds an operation for every step, in addition to the generic route that serves them all: importers make one tool of
 * each operation, and a tool needs its own name, description and fields.
 */
export const addStepOperations = <T extends object>(document: T, registry: Registry): T => {
  const { paths, tags = [], components } = document as Document
  const runStep = paths?.[generic]?.post
  const schemas = components?.schemas ?? {}
  if (!runStep?.responses || schemas.RunDone === undefined) throw new Error(`the document has no ${generic}`)
  const steps = registry.all.flatMap((loaded) => [...loaded.steps.values()])
  const operations = steps.map((loadedStep) => [
    generic.replace('{integration}', loadedStep.loaded.integration.id).replace('{step}', loadedStep.step.id),
    { post: operationOf(loadedStep, runStep, schemas) },
  ])
  const failures = Object.entries(runStep.responses)
    .filter(([status]) => Number(status) >= 400)
    .map(([status, response]) => [`StepFailed${status}`, response])
  return {
    ...document,
    tags: [
      ...registry.all.map(({ integration: { title, summary } }) => ({ name: title, description: summary })),
      ...tags,
    ],
    paths: { ...paths, ...Object.fromEntries(operations) },
    components: { ...components, responses: { ...components?.responses, ...Object.fromEntries(failures) } },
  }
}
