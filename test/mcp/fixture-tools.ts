import { setTimeout as wait } from 'node:timers/promises'
import { fromJsonSchema, LOG_LEVEL_META_KEY } from '@modelcontextprotocol/server'
import type {
  CallToolResult,
  ContentBlock,
  InMemoryServerEventBus,
  McpRequestContext,
  McpServer,
  ServerContext,
} from '@modelcontextprotocol/server'
import { z } from 'zod'
import { pixel, silence } from './fixture-contents.ts'

const gives = (...content: ContentBlock[]): CallToolResult => ({ content })
export const says = (text: string) => gives({ type: 'text', text })
const embedded = (uri: string, mimeType: string, text: string): ContentBlock => ({
  type: 'resource',
  resource: { uri, mimeType, text },
})

const addContents = (server: McpServer) => {
  server.registerTool('test_simple_text', { description: 'Fixture: simple text' }, () =>
    says('This is a simple text response for testing.'),
  )
  server.registerTool('test_image_content', { description: 'Fixture: image content' }, () =>
    gives({ type: 'image', data: pixel, mimeType: 'image/png' }),
  )
  server.registerTool('test_audio_content', { description: 'Fixture: audio content' }, () =>
    gives({ type: 'audio', data: silence, mimeType: 'audio/wav' }),
  )
  server.registerTool('test_embedded_resource', { description: 'Fixture: embedded resource' }, () =>
    gives(embedded('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')),
  )
  server.registerTool('test_multiple_content_types', { description: 'Fixture: multiple content types' }, () =>
    gives(
      { type: 'text', text: 'Multiple content types test:' },
      { type: 'image', data: pixel, mimeType: 'image/png' },
      embedded('test://mixed-content-resource', 'application/json', JSON.stringify({ test: 'data', value: 123 })),
    ),
  )
  server.registerTool('test_error_handling', { description: 'Fixture: error handling' }, () => {
    throw new Error('This tool intentionally returns an error for testing')
  })
}

const tell = async (ctx: ServerContext) => {
  const progressToken = ctx.mcpReq._meta?.progressToken
  for (const progress of [0, 50, 100]) {
    if (progressToken !== undefined)
      await ctx.mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: 100 } })
    if (progress < 100) await wait(50)
  }
  return says(String(progressToken))
}

/** Log lines go to whoever asked: a level in the request in the later protocol, everyone in that of 2025. */
const log = async (ctx: ServerContext, era: McpRequestContext['era']) => {
  const level = (ctx.mcpReq.envelope as Record<string, unknown> | undefined)?.[LOG_LEVEL_META_KEY]
  for (const data of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
    if (era === 'legacy' || level !== undefined)
      await ctx.mcpReq.notify({ method: 'notifications/message', params: { level: 'info', data } })
    await wait(50)
  }
  return says('Tool with logging executed successfully')
}

const addNotifying = (server: McpServer, { era }: McpRequestContext, bus: InMemoryServerEventBus) => {
  server.registerTool('test_tool_with_progress', { description: 'Fixture: tool with progress' }, tell)
  server.registerTool('test_tool_with_logging', { description: 'Fixture: tool with logging' }, (ctx) => log(ctx, era))
  server.registerTool('test_logging_tool', { description: 'Fixture: logging tool' }, (ctx) => log(ctx, era))
  server.registerTool('test_trigger_tool_change', { description: 'Fixture: trigger tool change' }, () => {
    bus.publish({ kind: 'tools_list_changed' })
    return says('Changed')
  })
  server.registerTool('test_trigger_prompt_change', { description: 'Fixture: trigger prompt change' }, () => {
    bus.publish({ kind: 'prompts_list_changed' })
    return says('Changed')
  })
}

const dialect = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object' as const,
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  // oxlint-disable-next-line unicorn/no-thenable -- a word of JSON Schema; the object is never awaited
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
}

const addSchemas = (server: McpServer) => {
  server.registerTool(
    'json_schema_2020_12_tool',
    { description: 'Fixture: json schema 2020 12 tool', inputSchema: fromJsonSchema(dialect) },
    () => says('ok'),
  )
  const inputSchema = z.object({ region: z.string().meta({ 'x-mcp-header': 'Region' }) })
  server.registerTool('test_header_argument', { description: 'Fixture: header argument', inputSchema }, ({ region }) =>
    says(region),
  )
}

export const addTools = (server: McpServer, context: McpRequestContext, bus: InMemoryServerEventBus) => {
  addContents(server)
  addNotifying(server, context, bus)
  addSchemas(server)
}
