/** Whether the policy of API Call refuses a path, shown before it is sent. The server decides. */
import type { Manifest } from '../../api/server.ts'

type Policy = Pick<Manifest['apiCall'], 'under' | 'deny'>

/** "*" is one segment, a trailing "/**" everything below. */
const isUnder = (path: string, pattern: string): boolean => {
  const [parts, wanted] = [path.split('/'), pattern.split('/')]
  const isOpen = wanted.at(-1) === '**'
  const fixed = isOpen ? wanted.slice(0, -1) : wanted
  return (isOpen ? parts.length > fixed.length : parts.length === fixed.length) && fixed.every((part, index) => part === '*' || part === parts[index])
}

/** Why a request would be refused; undefined: nothing is known against it. */
export const refusalOf = ({ under, deny }: Policy, method: string, path: string): string | undefined => {
  if (path === '') return undefined
  if (!path.startsWith('/')) return 'The path starts with "/", without the address of the provider.'
  if (!`${path}/`.startsWith(under.endsWith('/') ? under : `${under}/`)) return `Only paths under ${under} are allowed.`
  const plain = path
    .replace(/[?#].*$/, '')
    .replace(/\/+$/, '')
    .toLowerCase()
  return deny.find(
    (rule) =>
      rule.query === undefined && (rule.methods === undefined || (rule.methods as string[]).includes(method)) && isUnder(plain, rule.path.toLowerCase()),
  )?.reason
}

const placeholder = /\{(\w+)\}/g
export const placeholdersOf = (path: string): string[] => [...path.matchAll(placeholder)].map(([, name]) => name!)
/** The path with what is filled in; the rest stays as it is, to be seen. */
export const fillPath = (path: string, values: Record<string, string>): string =>
  path.replace(placeholder, (whole, name: string) => (values[name] ? encodeURIComponent(values[name]) : whole))
