import { resolve } from 'node:path'
import { failField } from '#kit'
import { lookupKind } from '../../../api/resources/lookup.ts'
import { command, paging, text } from '../declare.ts'
import type { Context } from '../declare.ts'
import { readInput, readWhole } from '../input.ts'
import type { Answer } from '../operations.ts'
import { personFilter, personOption } from '../person-options.ts'
import { findStep, stepArguments, stepOptions } from '../step-arguments.ts'
import { shortTime } from '../table.ts'
import { storeFile } from './files.ts'

const kindOption = text('<kind>', 'person or company', 'person')

const readKind = (text: string) => {
  const kind = lookupKind.options.find((option) => option === text)
  if (!kind) throw failField('kind', `--kind is person or company, not "${text}".`)
  return kind
}

const sayList = ({ say, note }: Context, list: Answer<'people-lists.createPeopleList'>) => {
  say(list, list.id)
  if (list.suppressed > 0) note(`Rows left out because they name people on the suppression list: ${list.suppressed}.`)
}

export const peopleListCommands = [
  command(
    {
      usage: 'lists',
      about: 'list the stored lists of people or companies',
      options: { person: personFilter, ...paging() },
    },
    async ({ call, list, typed }, filter) =>
      list(
        await call('people-lists.listPeopleLists', filter),
        `No lists. Store one with: ${typed('lists add <file> <name>')}`,
        ({ id, name, kind, rows, expiresAt }) => ({
          list: id,
          name,
          kind,
          rows: String(rows),
          expires: shortTime(expiresAt),
        }),
      ),
  ),
  command(
    {
      usage: 'lists add <file> <name>',
      about: 'store the rows of a file as a list; prints its id',
      arguments: { file: 'CSV with a header, or JSONL; UTF-8', name: 'name of the list' },
      options: { kind: kindOption, person: personOption },
    },
    async (context, { file: path, name, kind: kindText, person }) => {
      const { call, parts } = context
      const kind = readKind(kindText)
      const { id: file } = await storeFile(call, resolve(parts.cwd, path), { hours: 1, person })
      const storedList = await call('people-lists.createPeopleList', { name, kind, file, person })
      await call('files.deleteFile', { id: file })
      sayList(context, storedList)
    },
  ),
  command(
    {
      usage: 'lists from <integration> <step> <name> [input]',
      about: 'run a step that names people or companies, and store them as a list; prints its id',
      arguments: { ...stepArguments, name: 'name of the list' },
      options: { ...stepOptions, kind: kindOption, person: personOption },
      help: ({ typed }) => `
Example:
  ${typed('lists from <integration> <step> Prospects --kind company -f <field>=<value>')}`,
    },
    async (context, { integration, step: id, name, input: argument, fields, whole, kind, person, connection }) => {
      const { form } = await findStep(context, integration, id)
      const input = await readInput({ whole: readWhole(argument, whole), fields }, form, context.terminal.readStdin)
      const step = { integration, step: id, input, ...(connection === undefined ? {} : { connection }) }
      sayList(
        context,
        await context.call('people-lists.createPeopleList', { name, kind: readKind(kind), step, person }),
      )
    },
  ),
  command(
    {
      usage: 'lists show <list>',
      about: 'show the rows of a list',
      arguments: { list: 'id or name of the list' },
      options: paging(),
    },
    async ({ call, list: print }, { list: id, ...page }) =>
      print(await call('people-lists.getPeopleList', { id, ...page }), 'No rows.', ({ row, values, checkedAt }) => ({
        row: String(row),
        values: Object.values(values).join(', '),
        checked: checkedAt === null ? 'never' : shortTime(checkedAt),
      })),
  ),
  command(
    {
      usage: 'lists remove <list>',
      about: 'delete a list and its rows',
      arguments: { list: 'id or name of the list' },
    },
    async ({ call, say }, { list }) => {
      await call('people-lists.deletePeopleList', { id: list })
      say({ list, removed: true }, () => {})
    },
  ),
]
