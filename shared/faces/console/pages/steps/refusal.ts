/** Whether the policy of API Call refuses a path, shown before the request is sent. The server has the final word. */
import type { Manifest } from '../../api/index.ts'

type Policy = Pick<Manifest['apiCall'], 'under' | 'deny'>

const partsOf = (path: string): string[] => path.split('/').slice(1)

/**
 * "*" matches one segment, a trailing "/**" the path itself and everything below it, a leading "/**" any number of
 * segments.
 */
const isUnder = (path: string, pattern: string): boolean => {
  const isOpen = pattern.endsWith('/**')
  const isAnywhere = pattern.startsWith('/**/')
  const patternParts = partsOf(pattern.slice(isAnywhere ? 3 : 0, isOpen ? -3 : undefined))
  const pathParts = partsOf(path)
  const last = pathParts.length - patternParts.length
  return pathParts.some(
    (_, from) =>
      (isAnywhere ? from <= last : from === 0 && last >= 0) &&
      (isOpen || from === last) &&
      patternParts.every((part, at) => part === '*' || part === pathParts[from + at]),
  )
}

/** Why a request would be refused; undefined when no rule known here forbids it. */
export const refusalOf = ({ under, deny }: Policy, method: string, path: string): string | undefined => {
  if (path === '') return undefined
  if (!path.startsWith('/')) return 'The path starts with "/", without the address of the provider.'
  if (!`${path}/`.startsWith(under.endsWith('/') ? under : `${under}/`)) return `Only paths under ${under} are allowed.`
  const plain = path
    .split(/[?#]/, 1)[0]!
    .replace(/(?<!\/)\/+$|\.(?:json|xml|html|csv)$/, '')
    .toLowerCase()
  return deny.find(
    (rule) =>
      rule.query === undefined &&
      (rule.methods === undefined || (rule.methods as string[]).includes(method)) &&
      isUnder(plain, rule.path.toLowerCase()),
  )?.reason
}

const placeholder = /\{(\w+)\}/g
/** The path with the entered values filled in; empty placeholders stay visible. */
export const fillPath = (path: string, values: Record<string, string>): string =>
  path.replace(placeholder, (whole, name: string) => (values[name] ? encodeURIComponent(values[name]) : whole))
