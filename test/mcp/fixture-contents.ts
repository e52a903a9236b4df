import { completable, inputRequired, inputResponse, ResourceTemplate } from '@modelcontextprotocol/server'
import type { GetPromptResult, McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'

/** A PNG of one red pixel, and a WAV without a sound. */
export const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=='
export const silence = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA='

export const addResources = (server: McpServer) => {
  const text = (uri: string, body: string) => ({ contents: [{ uri, mimeType: 'text/plain', text: body }] })
  server.registerResource('static-text', 'test://static-text', { mimeType: 'text/plain' }, ({ href }) =>
    text(href, 'This is the content of the static text resource.'),
  )
  server.registerResource('static-binary', 'test://static-binary', { mimeType: 'image/png' }, ({ href }) => ({
    contents: [{ uri: href, mimeType: 'image/png', blob: pixel }],
  }))
  server.registerResource('watched', 'test://watched-resource', { mimeType: 'text/plain' }, ({ href }) =>
    text(href, 'Watched'),
  )
  server.registerResource(
    'template',
    new ResourceTemplate('test://template/{id}/data', { list: undefined }),
    { mimeType: 'application/json' },
    ({ href }, { id }) => ({
      contents: [
        {
          uri: href,
          mimeType: 'application/json',
          text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${String(id)}` }),
        },
      ],
    }),
  )
  server.server.setRequestHandler('resources/subscribe', () => ({}))
  server.server.setRequestHandler('resources/unsubscribe', () => ({}))
}

const says = (...contents: GetPromptResult['messages'][number]['content'][]): GetPromptResult => ({
  messages: contents.map((content) => ({ role: 'user', content })),
})

export const addPrompts = (server: McpServer) => {
  server.registerPrompt('test_simple_prompt', { description: 'Without arguments' }, () =>
    says({ type: 'text', text: 'This is a simple prompt for testing.' }),
  )
  const places = ['paris', 'park', 'party']
  const argsSchema = z.object({
    arg1: completable(z.string(), (start) => places.filter((place) => place.startsWith(start))),
    arg2: z.string(),
  })
  server.registerPrompt(
    'test_prompt_with_arguments',
    { description: 'With two arguments', argsSchema },
    ({ arg1, arg2 }) => says({ type: 'text', text: `Prompt with arguments: arg1='${arg1}', arg2='${arg2}'` }),
  )
  server.registerPrompt(
    'test_prompt_with_embedded_resource',
    { description: 'With an embedded resource', argsSchema: z.object({ resourceUri: z.string() }) },
    ({ resourceUri }) =>
      says(
        {
          type: 'resource',
          resource: { uri: resourceUri, mimeType: 'text/plain', text: 'Embedded resource content for testing.' },
        },
        { type: 'text', text: 'Please process the embedded resource above.' },
      ),
  )
  server.registerPrompt('test_prompt_with_image', { description: 'With an image' }, () =>
    says(
      { type: 'image', data: pixel, mimeType: 'image/png' },
      { type: 'text', text: 'Please analyze the image above.' },
    ),
  )
  server.registerPrompt('test_input_required_result_prompt', { description: 'Asks before it answers' }, (ctx) => {
    const response = inputResponse(ctx.mcpReq.inputResponses, 'user_context')
    if (response.kind === 'elicit') return says({ type: 'text', text: `Context: ${JSON.stringify(response.content)}` })
    const requestedSchema = {
      type: 'object' as const,
      properties: { context: { type: 'string' as const } },
      required: ['context'],
    }
    return inputRequired({
      inputRequests: {
        user_context: inputRequired.elicit({ message: 'What context should the prompt use?', requestedSchema }),
      },
    })
  })
}
