import type { Registry } from '../catalogue/registry.ts'
import { Refusal } from './refusal.ts'

/** Paths of this server that access tokens are made for. */
export const apiPath = '/v1'
export const mcpPath = '/mcp'

/** The only integration that is reached at a path; undefined: all. */
export const integrationAt = (path: string): string | undefined => /^\/mcp\/(.+)$/.exec(path)?.[1]

/**
 * The path of the resource that a client names by its address (RFC 8707); without one, that of MCP.
 * @throws Refusal `invalid_target`
 */
export const readResource = ({ all }: Pick<Registry, 'all'>, base: string, resource: string | undefined): string => {
  if (resource === undefined) return mcpPath
  const paths = [mcpPath, apiPath, ...all.map(({ integration }) => `${mcpPath}/${integration.id}`)]
  const url = URL.canParse(resource) && !resource.includes('#') ? new URL(resource) : undefined
  const named = url && `${url.origin}${url.pathname.replace(/\/$/, '')}`
  const path = paths.find((candidate) => named === `${new URL(base).href.replace(/\/$/, '')}${candidate}`)
  if (path !== undefined && url!.username === '' && url!.password === '') return path
  throw new Refusal(
    'invalid_target',
    `This server has no such resource. It has ${base}${mcpPath}, that address followed by the id of an integration, and ${base}${apiPath}.`,
  )
}
