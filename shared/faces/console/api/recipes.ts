/** The worked agents of the documents, which the server has among the files of the console. */
import { signal } from '@preact/signals'
import { readFile } from './client.ts'
import { apiRoot } from './root.ts'
import { server } from './server.ts'

export type Recipe = {
  id: string
  title: string
  file: string
  /** What runs it; null: it is imported into a program. */
  command: string | null
  /** What has to be installed from npm first. */
  packages?: string
  text: string
}
export type Recipes = {
  /** What the agents do. */
  title: string
  integration: string
  trigger: string
  step: string
  port: number
  agents: Recipe[]
}

export const recipes = signal<Recipes | undefined>(undefined)

/** The address of this server, as agents call it. */
export const serverAddress = () =>
  server.value?.publicUrl ?? new URL('..', new URL(apiRoot, location.href)).href.replace(/\/$/, '')

const readRecipe = (name: string) => readFile(`recipes/${name}.txt`)

/** Reads them once, with the address of this server in place of the one in the documents. */
export const loadRecipes = async () => {
  if (recipes.value) return
  const { address, agents, ...about } = JSON.parse(await readRecipe('agents.json')) as Recipes & { address: string }
  const texts = await Promise.all(agents.map(({ file }) => readRecipe(file)))
  recipes.value = {
    ...about,
    agents: agents.map((agent, at) => ({ ...agent, text: texts[at]!.replaceAll(address, serverAddress()) })),
  }
}
