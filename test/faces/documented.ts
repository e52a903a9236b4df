/** The OpenAPI document of a server. */
import type { HttpWorld } from '../support/http-world.ts'

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

export const readDocument = async (face: HttpWorld) => {
  const document: Document = (await face.ask('/openapi.json')).json
  // The operations of single steps have a test of their own.
  const paths = Object.entries(document.paths).filter(([path]) => !/^\/v1\/steps\/[a-z]/.test(path))
  const operations = paths.flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  )

  return { document, operations }
}
