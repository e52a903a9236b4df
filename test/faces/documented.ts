/** Holds answers to what the OpenAPI document says of them. */
import { expect } from 'vitest'
import * as z from 'zod'
import type { Ask, Face } from './setup.ts'

export type Operation = {
  operationId: string
  summary: string
  description?: string
  tags: string[]
  security?: unknown[]
  parameters?: { name: string; in: string; required: boolean }[]
  requestBody?: { required: boolean; content: Record<string, { schema: object }> }
  responses: Record<string, { description: string; content?: Record<string, { schema: object }> }>
}
export type Document = {
  openapi: string
  info: { version: string }
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, object>; responses: Record<string, object>; securitySchemes: object }
}

/** Today's answers have the documented fields and no others, although later ones may have more. */
const closed = (_name: string, part: unknown) =>
  typeof part === 'object' && part !== null && 'properties' in part && !('additionalProperties' in part)
    ? { ...part, additionalProperties: false }
    : part

export const readDocument = async (face: Face) => {
  const document: Document = (await face.ask('/openapi.json')).json
  // The operations of single steps have a test of their own.
  const paths = Object.entries(document.paths).filter(([path]) => !/^\/v1\/steps\/[a-z]/.test(path))
  const operations = paths.flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  )

  /** A check made from a schema of the document. */
  const checker = (schema: object) =>
    z.fromJSONSchema(
      JSON.parse(
        JSON.stringify({ ...schema, $defs: document.components.schemas }).replaceAll(
          '#/components/schemas/',
          '#/$defs/',
        ),
        closed,
      ),
    )

  /** Asks, and fails where the answer is not as its operation says. */
  const check = async (template: string, url: string, request: Ask = {}) => {
    const method = request.method ?? (request.body === undefined ? 'GET' : 'POST')
    const reply = await face.ask(url, request)
    const documentedResponse = operations.find((entry) => entry.path === template && entry.method === method)!.operation
      .responses[String(reply.status)]
    expect(
      documentedResponse,
      `${method} ${template} answered an undocumented ${reply.status}: ${reply.text}`,
    ).toBeDefined()
    if (documentedResponse!.content === undefined) expect(reply.text).toBe('')
    else {
      const [[type, { schema }]] = Object.entries(documentedResponse!.content) as [[string, { schema: object }]]
      expect(String(reply.headers['content-type'])).toContain(type)
      expect(
        checker(schema).safeParse(type.includes('json') ? reply.json : reply.text),
        `${method} ${url}: ${reply.text}`,
      ).toMatchObject({ success: true })
    }
    return reply
  }
  return { document, operations, checker, check }
}
