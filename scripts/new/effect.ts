import { textOf } from './document.ts'
import type { Operation, Schema } from './document.ts'
import { plainWords } from './names.ts'
import { typeOf } from './schema.ts'

const effects: { [method: string]: string } = {
  GET: 'read',
  POST: 'create',
  PUT: 'update',
  PATCH: 'update',
  DELETE: 'delete',
}
/** Verbs of operations that read although they are sent by POST. */
export const readVerbs = /^(search|query|list|find|lookup|filter)$/i
const writeVerbs = /^(create|add|insert|upsert|import|send|update|change|set|delete|remove|bulk|batch)$/i

/** Words that may say what an operation does: the first of its id and of its summary, and the first at the end of its path. */
const verbsOf = ({ id, path, node }: Operation): string[] => [
  ...plainWords(id.split(/[./:]/).at(-1)!).split(' ').slice(0, 1),
  ...plainWords(textOf(node['summary'])).split(' ').slice(0, 1),
  ...plainWords(path.split(/[/:]/).at(-1)!).split(' ').slice(0, 1),
]

/** The effect of a step. `isAssumed`: it is a POST that seems to read, which the author must confirm. */
export const effectOf = (operation: Operation, answer: Schema): { effect: string; isAssumed: boolean } => {
  const verbs = verbsOf(operation)
  const isWriting = verbs.some((word) => writeVerbs.test(word))
  const isAssumed =
    operation.method === 'POST' &&
    !isWriting &&
    (verbs.some((word) => readVerbs.test(word)) || typeOf(answer) === 'array')
  return { effect: isAssumed ? 'read' : effects[operation.method]!, isAssumed }
}

/**
 * Goes into the request of such a step, which is refused until the author names the page: no create is repeated by
 * mistake. The mark is the author's task in the file that is written, not one of this file.
 */
export const assumedRead = `effect: 'read' /* TODO: add effectSource, the page of the provider that says that this POST changes nothing. If it changes something, remove this line and set the step's effect to 'create'. */`
