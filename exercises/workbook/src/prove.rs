//! What CI holds every exercise to. Most of it is proved by the chapter's own test program; what can be
//! read from files is proved here.

use std::fs;

use anyhow::Result;
use kit::prove::Proof;

use crate::build::{self, Progress};
use crate::catalogue::{Catalogue, Chapter};
use crate::{hint, imports};

/// Proves the chosen exercises. `with_answers` leaves out that `src` equals the stubs.
pub(crate) fn prove(
    catalogue: &Catalogue,
    name: Option<&str>,
    with_answers: bool,
    colour: bool,
) -> Result<Vec<Proof>> {
    let mut proofs = Vec::new();
    for (chapter, names) in catalogue.choose(name)? {
        match build::build(&catalogue.root, chapter, Progress::Shown, colour)? {
            Ok(program) => {
                let question = kit::runner::PROVE_ARGUMENT;
                let mut proved: Vec<Proof> =
                    build::ask(&catalogue.root, &program, question, &names)?;
                for name in &names {
                    let judged = proved.iter().any(|p| p.exercise == *name);
                    let fault = (!judged).then(|| "checks/main.rs does not list it".to_owned());
                    proved.push(proof(name, "it is in the test program", fault));
                }
                proofs.extend(proved);
            }
            Err(failure) => proofs.push(proof(
                &chapter.package,
                "it compiles",
                Some(failure.rendered),
            )),
        }
        proofs.extend(files(chapter, &names, with_answers));
        let offences = imports::offences(chapter)?;
        let fault = (!offences.is_empty()).then(|| offences.join("\n"));
        proofs.push(proof(
            &chapter.package,
            "no check uses what a later chapter introduces",
            fault,
        ));
    }
    Ok(proofs)
}

fn proof(subject: &str, what: &str, fault: Option<String>) -> Proof {
    Proof {
        exercise: subject.to_owned(),
        what: what.to_owned(),
        fault,
    }
}

fn files(chapter: &Chapter, names: &[String], with_answers: bool) -> Vec<Proof> {
    let mut proofs = Vec::new();
    for exercise in chapter.exercises.iter().filter(|e| names.contains(&e.name)) {
        let missing = (1..=hint::STEPS)
            .find_map(|step| hint::read(chapter, exercise, step).err())
            .map(|error| format!("{error:#}"));
        proofs.push(proof(&exercise.name, "it has three hints", missing));
        if with_answers {
            continue;
        }
        let (answer, stub) = (chapter.answer(exercise), chapter.stub(exercise));
        let fault = match (fs::read(&answer), fs::read(&stub)) {
            (Ok(a), Ok(b)) if a == b => None,
            (Ok(_), Ok(_)) => Some(format!(
                "{} differs from {}: an answer stands in it; --with-answers proves the rest",
                answer.display(),
                stub.display()
            )),
            (Err(error), _) => Some(format!("cannot read {}: {error}", answer.display())),
            (_, Err(error)) => Some(format!("cannot read {}: {error}", stub.display())),
        };
        proofs.push(proof(&exercise.name, "src holds the stub", fault));
    }
    proofs
}
