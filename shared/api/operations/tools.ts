import { z } from '#kit'
import { id, integrationPath } from '../resources/fields.ts'
import { openApiDocument, toolBody, toolHeaders } from '../resources/tool.ts'
import { defineOperations, providerFailures } from '../operation.ts'

export const toolOperations = defineOperations({
  callTool: {
    method: 'POST',
    path: '/v1/tools/{tool}',
    tag: 'Steps',
    summary: 'Run a step as a tool of an agent',
    description:
      'Runs a step by the name of its tool, such as `work_board_create_card`. The body is the fields of the step and `connection`; the response is the result, with the fields that agents need. Tools that read take `fields`, which asks for more. `/openapi/{integration}.json` has one operation for each tool.',
    input: { params: () => z.object({ tool: id }), headers: toolHeaders, body: toolBody },
    output: { description: 'The result', schema: () => z.unknown() },
    failures: providerFailures,
  },
  getAgentOpenApi: {
    method: 'GET',
    path: '/openapi/{integration}.json',
    tag: 'Catalogue',
    summary: 'Get the tools of an integration as an OpenAPI document',
    description:
      'A document for importers that make one tool of each operation: the steps of one tool set, with flat bodies and short descriptions, and nothing else.',
    input: {
      params: integrationPath,
      query: () =>
        z.strictObject({
          set: z.string().min(1).max(64).optional().describe('Tool set; absent: core'),
          tools: z
            .string()
            .min(1)
            .max(4000)
            .optional()
            .describe('Only these tools, by name, with commas between them; instead of a set'),
        }),
    },
    output: { description: 'OpenAPI 3.1', schema: openApiDocument },
    failures: ['not_found'],
  },
})
