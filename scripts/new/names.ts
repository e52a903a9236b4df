import { textOf } from './document.ts'
import type { Operation } from './document.ts'

/** The words of a name in ASCII letters and digits, without accents. */
export const plainWords = (text: string): string =>
  text
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll(/[^A-Za-z0-9]+/g, ' ')
    .trim()

/** Empty for a name without ASCII letters and digits. */
export const camelCase = (text: string): string =>
  text
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^A-Za-z0-9]+(.)?/g, (_, letter: string | undefined) => (letter ?? '').toUpperCase())
    .replace(/^[A-Z]/, (letter) => letter.toLowerCase())
    .replace(/^\d/, 'n$&')

/** Whether all letters are Latin. An id made of a text in another script would lose most of its words. */
const isLatin = (text: string) =>
  /^[A-Za-z]/.test(plainWords(text)) && !/[^\p{Script=Latin}\P{L}]/u.test(text.normalize('NFKD'))

const longestTitle = 40

/** The title of a step, from which its id follows: the first of summary, operation id and path that is in Latin script. */
export const titleOf = ({ node, id, method, path }: Operation): string => {
  const source = [textOf(node['summary']), id, `${method.toLowerCase()} ${path}`].find(isLatin)
  const words = plainWords(source ?? `${method.toLowerCase()} records`)
    .split(' ')
    .map((word) => word.replace(/^./, (letter) => letter.toUpperCase()))
  while (words.length > 1 && words.join(' ').length > longestTitle) words.pop()
  return words.join(' ').slice(0, longestTitle)
}
