import { emptyParams, type Params } from './params.ts'
import { refuse } from './refusals.ts'

const addText = (params: Params, pairs: URLSearchParams): void => {
  for (const name of new Set(pairs.keys())) {
    const all = pairs.getAll(name)
    params.values.set(name.replace(/\[\]$/, ''), all.length > 1 ? all : all[0])
    params.typed.delete(name)
  }
}

const addJson = (params: Params, body: Uint8Array): void => {
  let parsed: unknown
  try {
    parsed = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
  } catch (error) {
    return refuse(400, `Error parsing body: ${error instanceof Error ? error.message : 'unreadable'}`)
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
    return refuse(400, 'Error parsing body: not an object')
  for (const [name, value] of Object.entries(parsed)) {
    params.values.set(name, value)
    params.typed.add(name)
  }
}

const addMultipart = async (params: Params, body: Uint8Array, contentType: string): Promise<void> => {
  let form: FormData
  try {
    form = await new Response(new Uint8Array(body), { headers: { 'content-type': contentType } }).formData()
  } catch {
    return refuse(400, 'Error parsing body: malformed multipart')
  }
  for (const [name, value] of form.entries()) {
    if (typeof value === 'string') params.values.set(name, value)
    else if (params.uploads.has(name) || value.name === '') return refuse(400, `invalid value for ${name}`)
    else
      params.uploads.set(name, {
        fileName: value.name,
        mimeType: value.type,
        content: new Uint8Array(await value.arrayBuffer()),
      })
  }
}

/**
 * Merges the query and the body; values of the body take precedence. Only writes have a body; the body of a GET or
 * DELETE is ignored.
 */
export const parseParams = async (
  method: string,
  search: string,
  body: Uint8Array | undefined,
  contentType: string,
): Promise<Params> => {
  const params = emptyParams()
  addText(params, new URLSearchParams(search))
  if (!body || body.length === 0 || method === 'GET' || method === 'DELETE') return params
  const type = contentType.split(';')[0]?.trim().toLowerCase() ?? ''
  if (type === 'application/json') addJson(params, body)
  else if (type === 'multipart/form-data') await addMultipart(params, body, contentType)
  else if (type === 'application/x-www-form-urlencoded')
    addText(params, new URLSearchParams(new TextDecoder().decode(body)))
  else params.oddities.push(`body of type ${type || '(none)'} is not read`)
  return params
}
