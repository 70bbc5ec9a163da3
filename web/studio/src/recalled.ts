import type { Session, StoredLine, StoredSession, StoredTake, Take } from "voice-server-sdk";
import type { TakePerformance } from "./performance";
import type { SceneView } from "./scene-view";
import type { TakeList } from "./take-list";

/** Where what was said before is put. */
export interface RecallPlace {
  readonly session: Session;
  readonly list: TakeList;
  performance(take: Take, parent: TakePerformance | undefined): TakePerformance;
  scene(): SceneView;
}

/** Puts a session that is gone on with on the page: its scenes, lines and takes, in their order. */
export function recall(stored: StoredSession, place: RecallPlace): void {
  const views = new Map(
    stored.scenes.map((scene) => [scene.id, showScene(stored, scene.id, place)]),
  );
  for (const line of stored.lines) {
    const known = new Map<string, TakePerformance>();
    for (const take of line.takes) {
      if (!take.audible) continue;
      const performance = recallTake(take, line, known.get(take.parent ?? ""), place);
      const view = known.size === 0 ? views.get(line.sceneId ?? "") : undefined;
      if (view === undefined) place.list.add(performance);
      else place.list.addTo(view, performance);
      known.set(take.id, performance);
    }
    if (line.kept !== undefined) place.list.keep(line.kept, line.id);
  }
}

function showScene(stored: StoredSession, sceneId: string, place: RecallPlace): SceneView {
  const view = place.scene();
  const cast = stored.scenes.find(({ id }) => id === sceneId)?.cast;
  const lines = stored.lines.filter((line) => line.sceneId === sceneId);
  view.show(
    lines.map(({ id, speaker = "", text, dual }) => ({
      line_id: id,
      speaker,
      voice: cast?.get(speaker) ?? "",
      text,
      dual,
    })),
  );
  place.list.addScene(view);
  return view;
}

function recallTake(
  stored: StoredTake,
  line: StoredLine,
  parent: TakePerformance | undefined,
  place: RecallPlace,
): TakePerformance {
  const take = place.session.recall(stored, line, parent?.take);
  const performance = place.performance(take, parent);
  const { card } = performance;
  card.started();
  card.learn(take.words.items);
  card.finished((1000 * stored.samples) / stored.sampleRate);
  void take.done.then((result) => {
    performance.result = result;
  });
  return performance;
}
