import { Page } from '../../ui/page.tsx'

const Home = () => <Page title="Overview">{null}</Page>

export default Home
