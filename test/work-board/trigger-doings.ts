/**
 * What people do on the sandbox's board, one after the other, and which triggers each starts: New Board Activity for
 * what is made, Custom Webhook Events for comments.
 */
import { readFileSync } from 'node:fs'
import type { BoardSandbox } from '../../shared/sandbox/board/index.ts'
import { clientOf, findIds } from '../sandbox/board-client.ts'

type Doing = { control?: 'createCard' | 'emailCard' | 'copyCard'; send?: string; with?: object; starts: string[] }
export const doings = JSON.parse(readFileSync(new URL('trigger-doings.json', import.meta.url), 'utf8')) as Doing[]

/** Does it: by the sandbox's control, or by a request with the token of the connected account. */
export const doOn = (sandbox: BoardSandbox) => {
  const found = findIds(sandbox)
  const ask = clientOf(sandbox)
  const ids: { [kind: string]: (name: string) => string } = {
    board: () => found.board,
    list: found.list,
    card: found.card,
    label: found.label,
    second: () => sandbox.credentials.secondMember.id,
  }
  /** `{card:Fresh}` is the id of that card as it is now. */
  const fill = (text: string) =>
    text.replaceAll(/\{(\w+):([^}]*)\}/g, (_, kind: string, name: string) => ids[kind]!(name))
  return async ({ control, send, with: body }: Doing) => {
    const filled = body && (JSON.parse(fill(JSON.stringify(body))) as never)
    if (control) return sandbox.control[control](filled as never)
    const [method, path] = send!.split(' ')
    const answer = await ask(method!, fill(path!), filled ? { body: filled } : {})
    if (answer.status !== 200) throw new Error(`${send} answered ${answer.status}: ${answer.text}`)
    return answer.json
  }
}
