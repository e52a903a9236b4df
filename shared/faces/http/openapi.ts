import swagger from '@fastify/swagger'
import Fastify from 'fastify'
import { createJsonSchemaTransform, createJsonSchemaTransformObject } from 'fastify-type-provider-zod'
import { z } from '#kit'
import type { Registry } from '../../runtime/catalogue/registry.ts'
import type { Operation } from '../../api/operation.ts'
import { operations } from '../../api/operations/index.ts'
import type { Aliases } from '../../api/resources/fields.ts'
import { componentSchemas } from '../../api/resources/components.ts'
import { requestSchema, urlOf } from './operations.ts'
import { responsesOf } from './responses.ts'
import { isForSessions } from './session-cookie.ts'
import { addStepOperations } from './step-operations.ts'

type Document = {
  components?: { schemas?: Record<string, unknown> }
  paths?: Record<string, Record<string, { requestBody?: unknown }>>
}

const about = `Tool steps of the installed integrations, and triggers that start agents. Every failure is application/problem+json with a stable \`code\`;
\`retryable\` says whether the same request may be sent again unchanged.`

const aboutSession = `Cookie of a browser that signed in by POST /v1/session, for pages of this server only. Calls other than GET also need the header x-csrf-token.
At an address with a port the name ends in it, such as toolyard_session_8750.`

/**
 * Descriptions of fields are in zod's global registry. Names of schemas are in a registry of our own, so that two
 * servers in one process share nothing.
 */
const describeFields = ({
  zodSchema,
  jsonSchema,
}: {
  zodSchema: z.core.$ZodType
  jsonSchema: Record<string, unknown>
}) => {
  const { title, description, deprecated } = (z.globalRegistry.get(zodSchema as z.ZodType) ?? {}) as {
    title?: string
    description?: string
    deprecated?: boolean
  }
  if (title !== undefined) jsonSchema.title ??= title
  if (description !== undefined) jsonSchema.description ??= description
  if (deprecated) jsonSchema.deprecated = true
  // Unknown fields are allowed unless the schema refuses them: responses may gain fields within a major version.
  if (
    jsonSchema.additionalProperties === false &&
    (zodSchema._zod.def as { catchall?: unknown }).catchall === undefined
  )
    delete jsonSchema.additionalProperties
  // The format is enough; the regular expression behind it is very long.
  if (jsonSchema.format !== undefined) delete jsonSchema.pattern
}

const refsIn = (part: unknown, names: Set<string>) => {
  for (const [, name] of JSON.stringify(part).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) names.add(name!)
  return names
}

/** Each named schema exists for input and for output; removes those that nothing references. */
const dropUnused = <T extends object>(document: T): T => {
  const { components, ...otherParts } = document as Document
  const schemas = components?.schemas ?? {}
  const used = refsIn(otherParts, new Set())
  for (const name of used) refsIn(schemas[name] ?? {}, used)
  return {
    ...otherParts,
    components: {
      ...components,
      schemas: Object.fromEntries(Object.entries(schemas).filter(([name]) => used.has(name))),
    },
  } as T
}

/** Adds the request bodies of uploads, which the route reads as a stream in each of these formats. */
const addUploads = <T extends object>(document: T, aliases: Aliases): T => {
  for (const { path, method, upload } of Object.values<Operation>(operations)) {
    if (!upload) continue
    const { $schema: _, ...json } = z.toJSONSchema(upload(aliases), { io: 'input' })
    const content = { type: 'string', format: 'binary', description: 'The content of the file' }
    ;(document as Document).paths![path]![method.toLowerCase()]!.requestBody = {
      required: true,
      content: {
        'application/json': { schema: json },
        'multipart/form-data': { schema: { type: 'object', properties: { file: content }, required: ['file'] } },
        'application/octet-stream': { schema: content },
      },
    }
  }
  return document
}

const securityOf = ({ access, path }: Operation) =>
  access === 'public' ? { security: [] } : isForSessions(path) ? {} : { security: [{ token: [] }] }

const schemaOf = (operation: Operation, aliases: Aliases) => ({
  operationId: operation.id,
  tags: [operation.tag],
  summary: operation.summary,
  description: operation.description,
  ...securityOf(operation),
  ...requestSchema(operation, aliases),
  response: responsesOf(operation, aliases),
})

/** The OpenAPI 3.1 document of all operations. They are added to a separate app that exists only for this. */
export const describeOperations = async ({
  registry,
  version,
  aliases,
}: {
  registry: Registry
  version: string
  aliases: Aliases
}): Promise<object> => {
  const schemaRegistry = z.registry<{ id?: string | undefined }>()
  for (const [id, schema] of Object.entries(componentSchemas(aliases))) schemaRegistry.add(schema, { id })
  const zodToJsonConfig = { override: describeFields }
  const addSchemas = createJsonSchemaTransformObject({ schemaRegistry, zodToJsonConfig })
  const app = Fastify({ exposeHeadRoutes: false })
  // The server that answers requests validates them; this app only describes them.
  app.setValidatorCompiler(() => () => true)
  app.setSerializerCompiler(() => () => '')
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'toolyard',
        version,
        description: about.replaceAll('\n', ' '),
        license: { name: 'MIT', identifier: 'MIT' },
      },
      tags: [
        'Catalogue',
        'Steps',
        'Lookups',
        'Files',
        'Jobs',
        'Connections',
        'Apps',
        'Subscriptions',
        'Events',
        'Starts',
        'Hooks',
        'Runs',
        'Credits',
        'Sessions',
        'Admin',
        'Health',
      ].map((name) => ({
        name,
      })),
      components: {
        securitySchemes: {
          token: { type: 'http', scheme: 'bearer' },
          session: {
            type: 'apiKey',
            in: 'cookie',
            name: 'toolyard_session',
            description: aboutSession.replaceAll('\n', ' '),
          },
        },
      },
      security: [{ token: [] }, { session: [] }],
    },
    transform: createJsonSchemaTransform({ schemaRegistry, zodToJsonConfig }),
    transformObject: (document) => dropUnused(addStepOperations(addUploads(addSchemas(document), aliases), registry)),
  })
  for (const operation of Object.values<Operation>(operations))
    app.route({
      method: operation.method,
      url: urlOf(operation),
      schema: schemaOf(operation, aliases),
      handler: async () => undefined,
    })
  await app.ready()
  return app.swagger()
}
