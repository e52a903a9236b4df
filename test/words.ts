/**
 * How often identifiers of ours are pronouns and participles, which name nothing, by word and by room: `node
 * test/words.ts`.
 */
import { SyntaxKind } from 'typescript/unstable/ast'
import { filesOf, isTypeScript, readCode, sumByRoom, tableOf, tokensOf } from '../scripts/count-tokens.ts'

/** A variable is named after the thing it holds, and a type says which of its kind it is. */
const variables = ['one', 'found', 'given', 'asked', 'known', 'wanted', 'told', 'others', 'rest']
const types = ['Parts', 'Work', 'Round', 'Line', 'Landed', 'Flight', 'Others']
const weakNames = new Set([...variables, ...types])

/** The weak names among the identifiers of a file, each as often as it is written. Comments and texts do not count. */
export const weakNamesIn = (file: string, text: string): string[] =>
  tokensOf(file, text)
    .filter(({ kind, text: name }) => kind === SyntaxKind.Identifier && weakNames.has(name))
    .map(({ text: name }) => name)

if (import.meta.main) {
  for (const paths of [['shared', 'integrations', 'scripts'], ['test']]) {
    const files = filesOf(...paths).filter(isTypeScript)
    const names = new Map(files.map((file) => [file, weakNamesIn(file, readCode(file))]))
    const byWord = new Map<string, number>()
    for (const name of [...names.values()].flat()) byWord.set(name, (byWord.get(name) ?? 0) + 1)
    console.log(`Weak names in ${paths.join(', ')}\n${tableOf(byWord)}\n`)
    console.log(`${tableOf(sumByRoom(files, (file) => names.get(file)!.length))}\n`)
  }
}
