import { defineConfig } from 'astro/config';
import { agentKnowledgeGateway } from './src/build/astro-integration.ts';

export default defineConfig({ integrations: [agentKnowledgeGateway()] });
