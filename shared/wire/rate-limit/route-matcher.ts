/**
 * `/1/members/{id}` matches exactly one more segment, in any case, with or without a trailing "/"; `/1/**` everything
 * below `/1`.
 */
export const routeMatcher = (template: string) => {
  const isFamily = template.endsWith('/**')
  const parts = (isFamily ? template.slice(0, -3) : template)
    .split('/')
    .map((part) => (/^\{\w+\}$/.test(part) ? '[^/]+' : part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')))
  const source = isFamily ? [...parts, '.+'] : parts
  const pattern = new RegExp(`^${source.join('/')}/?$`, 'i')
  const head = template.split(/[{*]/)[0]?.toLowerCase() ?? ''
  return (path: string) =>
    path.length >= head.length && path.slice(0, head.length).toLowerCase() === head && pattern.test(path)
}
